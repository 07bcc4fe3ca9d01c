import { promptKinds } from "@promptreg/core";
import { each, expectDone, type Act, type GroupScenes } from "../../../test/scenes.ts";

const send =
  (method: string): Act =>
  ({ viewer }, { prompt }) =>
    expectDone(viewer, `${method} /prompts/${prompt.address}/star`);

export const scenes: GroupScenes<"stars"> = {
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) {
          const { thing } = await stage.make("prompt");
          await expectDone(stage.owner, `POST /prompts/${thing.address}/star`);
        }
      },
      list: { path: "/me/stars", queries: ["", ...each("kind", promptKinds.join(" "))] },
    },
    "prompts.add": { isEchoing: true },
    "prompts.remove": { isEchoing: true, isAudited: false },
    "makes.add": { isEchoing: true },
    "makes.remove": { isEchoing: true, isAudited: false },
  },
  shows: async ({ viewer }, { address, isDraft }) => {
    if (!isDraft) await expectDone(viewer, `POST /prompts/${address}/star`);
  },
  counts: {
    "prompt.stars": {
      changes: {
        "a star": [1, ({ viewer }, { address }) => expectDone(viewer, `POST /prompts/${address}/star`)],
        "the same star": [
          0,
          ({ viewer }, { address }) => expectDone(viewer, `POST /prompts/${address}/star`),
        ],
        "the end of a star": [
          -1,
          ({ viewer }, { address }) => expectDone(viewer, `DELETE /prompts/${address}/star`),
        ],
      },
    },
    "user.stars": {
      add: async (stage) => {
        const { address } = (await stage.make("prompt")).thing;
        await expectDone(stage.viewer, `POST /prompts/${address}/star`);
        return { owner: stage.owner, address };
      },
    },
  },
  connect: send("POST"),
  changes: {
    "the end of a star": send("DELETE"),
    "a star": send("POST"),
  },
  keeps: {
    "somebody else's star": async ({ server }, { prompt }) =>
      expectDone(await server.join("somebody-else"), `POST /prompts/${prompt.address}/star`),
  },
};
