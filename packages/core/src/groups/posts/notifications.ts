import { type Describe, did } from "../../language/notification.ts";
import type { ReviewDecision } from "./schemas.ts";

/** What a moderator decided about a post. */
export interface ReviewedPost {
  post: {
    id: string;
    title: string;
    url: string;
  };
  decision: ReviewDecision;
  reason: string | null;
}

const says = {
  approved: { title: "Your post is published", verb: "Approved" },
  rejected: { title: "Your post needs changes", verb: "Rejected" },
  unpublished: { title: "Your post is not published any more", verb: "Unpublished" },
} as const;

export const postNotifications: { "post.reviewed": Describe<ReviewedPost, "post"> } = {
  "post.reviewed": ({ post: { id, title, url }, decision, reason }) => ({
    title: says[decision].title,
    // Not by whom: a moderator acts for all of them.
    body: did(says[decision].verb, null, reason ?? title),
    url,
    target: { type: "post", id },
  }),
};
