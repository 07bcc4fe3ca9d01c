import type { ErrorTable } from "../../language/group.ts";

/** The errors that only contests have. */
export const contestErrors = {
  own_entry: { status: 403, message: "You cannot vote for your own entry, or score it." },
  contest_not_open: {
    status: 409,
    message: "This contest takes no entries now. Its times say when it does.",
  },
  contest_not_voting: {
    status: 409,
    message: "This contest takes no votes now. Its times say when it does.",
  },
  contest_not_judging: {
    status: 409,
    message: "This contest takes no scores now. Judges score from the end of entries to the end of judging.",
  },
  contest_closed: { status: 409, message: "This contest is closed. Its entries stay as they are." },
  entry_exists: { status: 409, message: "This is in the contest already." },
  entry_limit: {
    status: 409,
    message: "You have as many entries as one account can have in this contest. Withdraw one first.",
  },
  vote_limit: {
    status: 409,
    message: "You have given all your votes in this contest. Take one back first.",
  },
  not_eligible: {
    status: 422,
    message:
      "This cannot be entered: only what is your own, published and public, and of a kind that the contest takes.",
  },
} as const satisfies ErrorTable;
