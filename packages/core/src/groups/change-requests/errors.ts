import type { ErrorTable } from "../../language/group.ts";

/** The errors that only change requests have. */
export const changeRequestErrors = {
  change_request_exists: {
    status: 409,
    message: "This fork has an open change request already. Edit or close that one.",
  },
  change_request_closed: { status: 409, message: "This change request is closed. Reopen it first." },
  change_request_merged: {
    status: 409,
    message: "This change request was merged and cannot change any more.",
  },
  merge_conflict: {
    status: 409,
    message: "The prompt and the proposal changed the same files in different ways. See details.",
  },
  source_unavailable: {
    status: 409,
    message: "The fork was deleted, or the proposed version was yanked. Nothing can be merged.",
  },
  not_a_fork: {
    status: 422,
    message: "The source is not a fork of this prompt. Propose to the prompt that it was forked from.",
  },
} as const satisfies ErrorTable;
