import type { GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"openIn"> = {
  operations: { targets: {}, link: { etag: "printed" } },
};
