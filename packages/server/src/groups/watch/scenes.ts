import { each, expectDone, type Act, type GroupScenes } from "../../../test/scenes.ts";

const put =
  (level: string): Act =>
  ({ viewer }, { prompt }) =>
    expectDone(viewer, `PUT /prompts/${prompt.address}/watch`, { level });

export const scenes: GroupScenes<"watch"> = {
  operations: {
    get: {},
    put: { isEchoing: true },
    delete: { isAudited: false },
    list: {
      fill: (stage) => stage.make("prompt"),
      list: { path: "/me/watches", queries: [""], broad: each("level", "releases all ignore") },
    },
  },
  shows: async ({ viewer }, { address, isDraft }) => {
    if (!isDraft) await expectDone(viewer, `PUT /prompts/${address}/watch`, { level: "all" });
  },
  connect: put("releases"),
  changes: {
    "the level of a watch": put("all"),
    "that a prompt is ignored": put("ignore"),
    "the deletion of a watch": ({ viewer }, { prompt }) =>
      expectDone(viewer, `DELETE /prompts/${prompt.address}/watch`),
    "a watch": put("all"),
  },
  keeps: {
    "somebody else's watch": async ({ server }, { prompt }) => {
      const { id } = await server.join("somebody-else");
      await server.sql`
        insert into watches (prompt_id, user_id, level)
        select id, ${id}, 'all' from prompts where slug = ${String(prompt.params["slug"])}`;
    },
  },
};
