import type { ErrorTable } from "../../language/group.ts";

/** The errors that only evals have. */
export const evalErrors = {
  name_taken: { status: 409, message: "This name is taken. Choose another." },
  runs_not_comparable: { status: 422, message: "Only two runs of one prompt can be compared." },
  run_finished: { status: 409, message: "This run has already ended." },
} as const satisfies ErrorTable;
