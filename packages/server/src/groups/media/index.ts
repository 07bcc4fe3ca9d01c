import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./media.ts";
import { mediaTarget } from "./target.ts";
import { workOnMedia } from "./work.ts";

export const media = {
  handlers,
  targets: { media: mediaTarget },
  work: workOnMedia,
} satisfies ServerGroup<"media">;
export { mountMedia } from "./serve.ts";
