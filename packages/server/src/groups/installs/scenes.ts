import { expectDone, type Act, type GroupScenes } from "../../../test/scenes.ts";

const install: Act = ({ viewer }, { prompt }) =>
  expectDone(viewer, `POST /prompts/${prompt.address}/installs`, {
    target: "cursor-rule",
    installationId: `of ${prompt.address}`,
  });

export const scenes: GroupScenes<"installs"> = {
  operations: {
    record: { body: { target: "cursor-rule", installationId: "of-the-contract" }, isEchoing: true },
    stats: { etag: "printed" },
  },
  shows: async ({ viewer }, { address, isDraft }) => {
    const body = { target: "cursor", installationId: "laptop" };
    if (!isDraft) await expectDone(viewer, `POST /prompts/${address}/installs`, body);
  },
  changes: { "an install": install },
};
