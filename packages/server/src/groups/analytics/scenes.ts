import { expectDone, type GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"analytics"> = {
  operations: { "prompts.get": { etag: "none" }, "me.get": { etag: "none" } },
  keeps: {
    "a view of it": async ({ viewer, server }, { prompt }) => {
      await expectDone(viewer, `GET /prompts/${prompt.address}`);
      await server.context.activity.flush();
    },
  },
};
