import type { GroupScenes } from "../../../test/scenes.ts";

export const scenes: GroupScenes<"suggestions"> = {
  operations: { create: { body: { fields: ["title", "summary", "tags", "slug", "message"] } } },
};
