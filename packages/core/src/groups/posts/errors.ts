import type { ErrorTable } from "../../language/group.ts";

/** The errors that only posts have. */
export const postErrors = {
  post_in_review: {
    status: 409,
    message: "This post is in review. Withdraw it to go on writing, or wait for the decision.",
  },
  post_not_in_review: { status: 409, message: "This post is not in review." },
  post_changed: {
    status: 409,
    message: "Another text of this post waits by now. Read it, and decide about that.",
  },
  post_not_published: { status: 409, message: "Nothing of this post is published." },
} as const satisfies ErrorTable;
