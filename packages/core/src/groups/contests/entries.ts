import * as z from "zod";
import { id, prose, slug } from "../../language/fields.ts";
import { flag, type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { type ContestPath, ContestPath as Path, CreateEntry, ContestEntry, Score } from "./schemas.ts";

/** Which entries to list. */
export interface ListEntries extends PageQuery {
  /** Default: `newest`. `random` is another order for each viewer. `rank` needs a contest that is closed. */
  sort?: "newest" | "random" | "rank";
  /** Only your own, with those that others are not shown. */
  mine?: boolean;
}
const ListEntries: Schema<ListEntries> = z.strictObject({
  ...pageQuery(),
  sort: z.enum(["newest", "random", "rank"]).optional(),
  mine: flag.optional(),
});

/** An entry of a contest. */
export interface EntryPath extends ContestPath {
  id: string;
}
const EntryPath: Schema<EntryPath> = z.strictObject({ slug, id: id("ent") });

/** What you give an entry. */
export interface PutScore {
  /** 0 to 10, by the key of each criterion of the contest. */
  scores: Record<string, number>;
  comment?: string | null;
}
export const PutScore: Schema<PutScore> = z
  .strictObject({
    scores: z.record(z.string().max(32), z.number().min(0).max(10)),
    comment: prose({ max: 2_000 }).nullish(),
  })
  .meta({ id: "PutScore" });

/** That you voted for an entry, and how many votes you have left in its contest. */
export interface EntryVoted {
  voted: true;
  votesLeft: number;
}
const EntryVoted: Schema<EntryVoted> = z
  .strictObject({ voted: z.literal(true), votesLeft: z.int() })
  .meta({ id: "EntryVoted" });

/** That you have no vote for an entry, and how many you have left in its contest. */
export interface EntryUnvoted {
  voted: false;
  votesLeft: number;
}
const EntryUnvoted: Schema<EntryUnvoted> = z
  .strictObject({ voted: z.literal(false), votesLeft: z.int() })
  .meta({ id: "EntryUnvoted" });

const write = { auth: "required", scope: "write" } as const;

export const entries = {
  /**
   * Lists the entries of a contest that are public, and your own. Votes, scores and ranks are null until it is closed; a judge is shown
   * the scores that he gave.
   */
  list: op({
    route: "GET /contests/{slug}/entries",
    access: { auth: "optional", scope: "read", on: { contest: "viewers" } },
    params: Path,
    query: ListEntries,
    results: { 200: json<Page<ContestEntry>>(pageOf(ContestEntry)) },
    fields: { mine: { callerFor: true } },
    errors: ["invalid_cursor"],
  }),
  /** Enters a prompt or a make of yours, while the contest is open. Of a prompt, the latest version of that moment competes. */
  create: op({
    route: "POST /contests/{slug}/entries",
    access: {
      ...write,
      on: { contest: "viewers" },
      with: {
        work: {
          on: { prompt: ["owner"], make: ["maker"] },
          from: "body",
          namesKind: true,
          otherwise: "not_eligible",
        },
      },
    },
    params: Path,
    body: json(CreateEntry),
    results: { 201: json(ContestEntry), 204: empty() },
    errors: ["contest_not_open", "entry_exists", "entry_limit"],
  }),
  /** Withdraws your entry, with the votes for it, until the contest closes. */
  delete: op({
    route: "DELETE /contests/{slug}/entries/{id}",
    access: { ...write, on: { contest_entry: ["entrant"] } },
    params: EntryPath,
    results: { 204: empty() },
    errors: ["contest_closed"],
  }),
  /** Scores an entry as a judge, or scores it anew. Nobody scores their own. */
  score: op({
    route: "PUT /contests/{slug}/entries/{id}/score",
    access: { ...write, on: { contest_entry: ["judge"] }, refuse: { entrant: "own_entry" } },
    params: EntryPath,
    body: json(PutScore),
    results: { 200: json(Score), 204: empty() },
    errors: ["contest_not_judging"],
  }),
  /** Votes for an entry. A second vote of yours for it changes nothing. Nobody votes for their own. */
  vote: op({
    route: "POST /contests/{slug}/entries/{id}/vote",
    access: { ...write, on: { contest_entry: "viewers" }, refuse: { entrant: "own_entry" } },
    params: EntryPath,
    results: { 200: json(EntryVoted) },
    errors: ["contest_not_voting", "vote_limit"],
  }),
  /** Takes your vote back, if there is one. */
  unvote: op({
    route: "DELETE /contests/{slug}/entries/{id}/vote",
    access: { ...write, on: { contest_entry: "viewers" } },
    params: EntryPath,
    results: { 200: json(EntryUnvoted) },
    errors: ["contest_not_voting"],
  }),
};
