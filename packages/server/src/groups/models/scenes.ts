import { each, type GroupScenes } from "../../../test/scenes.ts";
import { catalogue } from "@promptreg/core/models";

export const scenes: GroupScenes<"models"> = {
  operations: {
    list: {
      list: {
        path: "/models",
        queries: [
          "",
          ...each("provider", "openai"),
          ...each("modality", "image"),
          ...each("deprecated", "true false"),
          ...each("q", "claude"),
          ...each("sort", "provider releasedAt"),
        ],
      },
    },
  },
  changes: {
    "a release with another model": ({ undo }) => {
      const [model] = catalogue;
      const { displayName } = model!;
      undo.push(() => Object.assign(model!, { displayName }));
      Object.assign(model!, { displayName: "Another name" });
      return Promise.resolve();
    },
  },
};
