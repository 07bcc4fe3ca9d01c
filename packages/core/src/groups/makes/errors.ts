import type { ErrorTable } from "../../language/group.ts";

/** The errors that only makes have. */
export const makeErrors = {
  link_exists: { status: 409, message: "This make links to that prompt already. Remove that link first." },
  link_not_approved: { status: 409, message: "Only an approved link can be pinned. Approve it first." },
  pin_limit: {
    status: 409,
    message: "The gallery of this prompt has six pinned makes, the most it can have. Unpin one first.",
  },
} as const satisfies ErrorTable;
