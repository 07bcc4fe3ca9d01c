import { expectDone, type GroupScenes, type Stage } from "../../../test/scenes.ts";

async function view({ viewer, server }: Pick<Stage, "viewer" | "server">, address: string): Promise<void> {
  await expectDone(viewer, `GET /prompts/${address}`);
  await server.context.activity.flush();
}

export const scenes: GroupScenes<"analytics"> = {
  operations: { "prompts.get": { etag: "none" }, "me.get": { etag: "none" } },
  shows: async (stage, { address, isDraft }) => {
    if (!isDraft) await view(stage, address);
  },
  keeps: { "a view of it": (stage, { prompt }) => view(stage, prompt.address) },
};
