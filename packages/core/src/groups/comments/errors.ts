import type { ErrorTable } from "../../language/group.ts";

/** The errors that only comments have. */
export const commentErrors = {
  thread_locked: { status: 409, message: "Comments are locked here. Only moderators can write more." },
  edit_window_closed: { status: 409, message: "A comment can be edited for 24 hours. Write another one." },
  comment_deleted: { status: 409, message: "This comment was deleted." },
  comment_hidden: {
    status: 409,
    message:
      "This comment is hidden, or waits for a moderator. Nobody else sees it until a moderator shows it.",
  },
} as const satisfies ErrorTable;
