import { type Describe, inLine } from "../../language/notification.ts";

/** A contest that is over, as somebody is told who took part. */
export interface ClosedContest {
  slug: string;
  title: string;
  url: string;
  /** The place of the account, if it won; null for others. */
  rank: number | null;
  /** Why there is another result, which changes that for the account. */
  changed?: {
    reason: string;
    /** Whether it is an entry of the account's that was disqualified. */
    isDisqualified: boolean;
  };
}

function titleOf({ rank, changed }: ClosedContest): string {
  if (changed?.isDisqualified) return "Your entry in a contest is disqualified";
  if (rank !== null) return `You won place ${rank} of a contest`;
  return changed ? "You are no winner of a contest any more" : "A contest that you took part in is closed";
}

function bodyOf({ title, changed }: ClosedContest): string {
  // Why concerns nobody else.
  if (changed?.isDisqualified) return `${inLine(title)}: ${inLine(changed.reason)}`;
  return `${changed ? "An entry was disqualified, so the results changed" : "The results are there"}: ${inLine(title)}`;
}

export const contestNotifications: { "contest.closed": Describe<ClosedContest, "contest"> } = {
  "contest.closed": (contest) => ({
    title: titleOf(contest),
    body: bodyOf(contest),
    url: contest.url,
    target: { type: "contest", id: contest.slug },
  }),
};
