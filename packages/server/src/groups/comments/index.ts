import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./comments.ts";
import { renewHtml } from "./comments.sql.ts";
import { scoreComments } from "./score.sql.ts";
import { commentTarget } from "./target.ts";

export const comments = {
  handlers,
  targets: { comment: commentTarget },
  work: ({ sql }) => ({ everyMinute: () => renewHtml(sql), sweep: () => scoreComments(sql) }),
} satisfies ServerGroup<"comments">;
export { requireVisible } from "./target.ts";
