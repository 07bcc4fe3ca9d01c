import {
  each,
  expectDone,
  type Act,
  type GroupScenes,
  type Stage,
  type Thing,
} from "../../../test/scenes.ts";

const at = ({ viewer }: Stage, { address }: Thing, method: string, body?: object) =>
  expectDone(viewer, `${method} /prompts/${address}/watch`, body);
const put =
  (level: string): Act =>
  (stage, { prompt }) =>
    at(stage, prompt, "PUT", { level });

export const scenes: GroupScenes<"watch"> = {
  operations: {
    get: {},
    put: { isEchoing: true },
    delete: { isAudited: false },
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("prompt");
      },
      list: { path: "/me/watches", queries: [""], broad: each("level", "releases all ignore") },
    },
  },
  shows: async ({ viewer }, { address, isDraft }) => {
    if (!isDraft) await expectDone(viewer, `PUT /prompts/${address}/watch`, { level: "all" });
  },
  counts: {
    "prompt.watchers": {
      changes: {
        "a watch": [1, (stage, prompt) => at(stage, prompt, "PUT", { level: "all" })],
        "that it is ignored": [-1, (stage, prompt) => at(stage, prompt, "PUT", { level: "ignore" })],
        "another watch": [1, (stage, prompt) => at(stage, prompt, "PUT", { level: "releases" })],
        "the end of a watch": [-1, (stage, prompt) => at(stage, prompt, "DELETE")],
      },
    },
  },
  connect: put("releases"),
  changes: {
    "the level of a watch": put("all"),
    "that a prompt is ignored": put("ignore"),
    "the deletion of a watch": (stage, { prompt }) => at(stage, prompt, "DELETE"),
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
