import type { ErrorTable } from "../../language/group.ts";

/** The errors that only votes have. */
export const voteErrors = {
  own_content: { status: 403, message: "You cannot vote on what you made yourself." },
} as const satisfies ErrorTable;
