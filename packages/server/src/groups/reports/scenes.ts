import type { Person } from "../../../test/harness.ts";
import {
  each,
  expectDone,
  type GroupScenes,
  type Stage,
  type Thing,
  nextNumber,
} from "../../../test/scenes.ts";

/** Reports an account that nobody has reported yet. Moderators do not decide on what is their own. */
async function report({ server }: Stage, reporter: Person): Promise<Thing> {
  const { handle } = await server.join(`reported-${nextNumber()}`);
  const target = { type: "user", id: handle };
  const { id } = await expectDone(reporter, "POST /reports", { target, reason: "spam" });
  return { params: { id }, address: id, as: { reporter } };
}

export const scenes: GroupScenes<"reports"> = {
  kinds: {
    report: {
      make: (stage, { visibility }) => report(stage, visibility === "private" ? stage.owner : stage.viewer),
    },
  },
  operations: {
    create: { body: { reason: "spam" } },
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await report(stage, stage.viewer);
      },
      list: {
        path: "/reports",
        queries: [
          "",
          ...each("status", "open resolved dismissed"),
          ...each("reason", "spam illegal"),
          "mine=true",
          "target=prompt:bench/large",
        ],
        moderated: ["", "reason=illegal", "target=prompt:bench/large"],
      },
    },
    update: { isAudited: true, body: { status: "resolved" } },
  },
  shows: async ({ server, viewer }, { address, isDraft }) => {
    if (isDraft) return;
    const target = { type: "prompt", id: address };
    await expectDone(viewer, "POST /reports", { target, reason: "spam" });
    // Otherwise moderators see what is hidden, which `reports.test.ts` shows.
    await server.sql`update prompts set open_reports = 0 where open_reports > 0`;
  },
  changes: {
    "a report": (stage) => report(stage, stage.viewer),
    "that a report is decided": async ({ server }, things) =>
      expectDone(await server.join("decides", { role: "admin" }), `PATCH /reports/${things.report.address}`, {
        status: "dismissed",
      }),
  },
};
