import { type Describe, inLine } from "../../language/notification.ts";

/** A contest that is over, as somebody is told who took part. */
export interface ClosedContest {
  slug: string;
  title: string;
  /** Its address in the API. */
  url: string;
  /** The place of the account, if it won; null for others. */
  rank: number | null;
}

export const contestNotifications: { "contest.closed": Describe<ClosedContest, "contest"> } = {
  "contest.closed": ({ slug, title, url, rank }) => ({
    title: rank === null ? "A contest that you took part in is closed" : `You won place ${rank} of a contest`,
    body: `The results are there: ${inLine(title)}`,
    url,
    target: { type: "contest", id: slug },
  }),
};
