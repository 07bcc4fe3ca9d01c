import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./posts.ts";
import { renewHtml } from "./posts.sql.ts";
import { rankPosts } from "./rank.sql.ts";
import * as revisions from "./revisions.ts";
import * as series from "./series.ts";
import { seriesTarget } from "./series-target.ts";
import { postTarget } from "./target.ts";

export const posts = {
  handlers: { ...handlers, revisions, series },
  targets: { post: postTarget, series: seriesTarget },
  work: ({ sql }) => ({ everyMinute: () => renewHtml(sql), hourly: () => rankPosts(sql) }),
} satisfies ServerGroup<"posts">;
export {
  isOwnPost,
  isPostListed,
  isPostVisible,
  postById,
  postColumns,
  type PostRow,
  postTarget,
  shownByPost,
} from "./target.ts";
export { postSummary, withText } from "./shown.sql.ts";
