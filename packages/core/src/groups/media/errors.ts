import type { ErrorTable } from "../../language/group.ts";

/** The errors that only media have. */
export const mediaErrors = {
  media_in_use: {
    status: 409,
    message: "Something shows these media. Take them out of it first.",
  },
  media_not_ready: {
    status: 409,
    message:
      "These media are not ready: they are still processed, or were rejected. Get them to see their status.",
  },
} as const satisfies ErrorTable;
