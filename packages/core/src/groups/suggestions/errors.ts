import type { ErrorTable } from "../../language/group.ts";

/** The errors that only suggestions have. */
export const suggestionErrors = {
  suggestions_unavailable: {
    status: 503,
    message: "This server makes no suggestions: its operator switched them off. Write the fields yourself.",
  },
} as const satisfies ErrorTable;
