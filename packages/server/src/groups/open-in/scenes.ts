import { openTool } from "@promptreg/core/formats";
import type { GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"openIn"> = {
  operations: { targets: {}, link: { etag: "printed" } },
  changes: {
    "a release with another name of a tool": ({ undo }) => {
      const tool = openTool("claude");
      const { name } = tool;
      undo.push(() => (tool.name = name));
      tool.name = "Another name";
      return Promise.resolve();
    },
  },
};
