import { expectDone, type GroupScenes, nextNumber, type Stage, type Thing } from "../../../test/scenes.ts";

const install = ({ viewer }: Stage, { prompt }: { prompt: Thing }) =>
  expectDone(viewer, `POST /prompts/${prompt.address}/installs`, {
    target: "cursor-rule",
    installationId: `of ${prompt.address}`,
  });

export const scenes: GroupScenes<"installs"> = {
  operations: {
    record: {
      // An installation counts once.
      get body() {
        return { target: "cursor-rule", installationId: nextNumber() };
      },
      isEchoing: true,
    },
    stats: { etag: "printed" },
  },
  shows: async ({ viewer }, { address, isDraft }) => {
    const body = { target: "cursor", installationId: "laptop" };
    if (!isDraft) await expectDone(viewer, `POST /prompts/${address}/installs`, body);
  },
  counts: {
    "prompt.installs": {
      changes: {
        "an install": [1, (stage, prompt) => install(stage, { prompt })],
        "the same install": [0, (stage, prompt) => install(stage, { prompt })],
      },
    },
  },
  changes: { "an install": install },
};
