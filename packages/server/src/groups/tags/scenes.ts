import { each, expectDone, type GroupScenes, nextNumber } from "../../../test/scenes.ts";
import { addUpTags } from "./tags.sql.ts";

export const scenes: GroupScenes<"tags"> = {
  kinds: {
    tag: {
      below: "prompt",
      isAlwaysVisible: true,
      async make(stage, { above }) {
        const tag = `scene-${nextNumber()}`;
        await expectDone(stage.owner, `PATCH /prompts/${above.address}`, { tags: [tag] });
        return { params: { tag }, address: tag };
      },
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        const { thing } = await stage.make("prompt");
        await expectDone(stage.owner, `PATCH /prompts/${thing.address}`, { tags: ["one", "two"] });
        await addUpTags(stage.server.sql);
      },
      list: {
        path: "/tags",
        queries: ["", ...each("sort", "count name"), ...each("q", "a board-1 board-1&sort=name")],
      },
    },
    get: { etag: "printed" },
  },
  shows: async ({ owner }, { address, word }) => {
    const tag = "shared";
    await expectDone(owner, `PATCH /prompts/${address}`, { tags: [word, tag] });
    return { tag: { params: { tag }, address: tag } };
  },
  counts: {
    "tag.prompts": {
      add: async (stage, tag) => {
        const { address } = (await stage.make("prompt")).thing;
        await expectDone(stage.owner, `PATCH /prompts/${address}`, { tags: [tag.address] });
        return { owner: stage.owner, address };
      },
      list: ({ address }) => `/prompts?tag=${address}`,
    },
  },
  changes: {
    "tags, once they are added up": async ({ owner, server }, { prompt, tag }) => {
      await expectDone(owner, `PATCH /prompts/${prompt.address}`, { tags: [tag.address, "beside"] });
      await addUpTags(server.sql);
    },
  },
};
