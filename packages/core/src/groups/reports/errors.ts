import type { ErrorTable } from "../../language/group.ts";

/** The errors that only reports have. */
export const reportErrors = {
  report_exists: {
    status: 409,
    message: "You have reported this already. Moderators have not decided on it yet.",
  },
  report_closed: { status: 409, message: "This report was decided already." },
} as const satisfies ErrorTable;
