import { each, expectDone, type GroupScenes } from "../../../test/scenes.ts";
import { addUpTags } from "./tags.sql.ts";

let tags = 0;

export const scenes: GroupScenes<"tags"> = {
  kinds: {
    tag: {
      isAlwaysVisible: true,
      async make(stage) {
        const { thing } = await stage.make("prompt");
        const tag = `scene-${++tags}`;
        await expectDone(stage.owner, `PATCH /prompts/${thing.address}`, { tags: [tag] });
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
    get: {},
  },
};
