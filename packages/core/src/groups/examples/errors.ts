import type { ErrorTable } from "../../language/group.ts";

/** The errors that only examples have. */
export const exampleErrors = {
  order_mismatch: {
    status: 422,
    message:
      "The list must name every approved example of this prompt exactly once. Read them again, then retry.",
  },
} as const satisfies ErrorTable;
