import type { ContestStatus, Criterion, EntryType, PromptKind } from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";
import { makeColumns, type MakeRow, makeTarget } from "../makes/index.ts";
import { promptColumns, type PromptRow, promptTarget } from "../prompts/index.ts";

/** What the code needs to know about a contest. */
export interface ContestRow {
  id: string;
  slug: string;
  status: ContestStatus;
  /** Whether it is over, and has no result yet. */
  isDue: boolean;
  accepts: EntryType[];
  kinds: PromptKind[] | null;
  criteria: Criterion[];
  votesPerUser: number;
  entriesPerUser: number;
  judgeIds: string[];
  revision: string;
}

/** What it needs to know about an entry. One of `prompt` and `make` is what was entered. */
export interface EntryRow {
  id: string;
  /** The entrant. */
  ownerId: string;
  isDisqualified: boolean;
  contest: ContestRow;
  /** That of its contest: an entry never changes. */
  revision: string;
  prompt: PromptRow | null;
  make: MakeRow | null;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    contest: ContestRow;
    contest_entry: EntryRow;
  }
}

/** The phase of `contests c`. What has a result stays closed, even if the clock is set back. Between equal times there is no phase. */
export const status = piece`case
  when c.result_n is not null or clock() >= c.judging_closes_at then 'closed' when clock() >= c.voting_closes_at then 'judging'
  when clock() >= c.entries_close_at then 'voting' when clock() >= c.opens_at then 'open' else 'scheduled' end`;
/** Whether `contests c` is over, and has no result yet. */
export const isDue = piece`(c.result_n is null and c.judging_closes_at <= clock())`;

/** Whether a place \`r\` is one of a winner: of the three best, if they have anything. */
export const isWinner = piece`(r.rank <= 3 and r.score > 0)`;

const contestColumns = piece`
  c.id, c.slug, ${status} as status, ${isDue} as "isDue", c.accepts, c.kinds, c.criteria,
  c.votes_per_user as "votesPerUser", c.entries_per_user as "entriesPerUser",
  array(select user_id from contest_judges where contest_id = c.id) as "judgeIds", c.revision::text`;

/** Everybody sees every contest. */
export const contestTarget: TargetKind<ContestRow, { slug: string }> = {
  alias: "c",
  from: (sql, { slug }) => sql`from contests c where c.slug = ${slug}`,
  columns: contestColumns,
  visibility: () => "visible",
  roles: ({ judgeIds }, { id }) => (judgeIds.includes(id) ? ["judge"] : []),
};

/** The work of `contest_entries e`, read by its key alone. */
const prompt = piece`(
  select row_to_json(q) from (
    select ${promptColumns} from prompts p join users o on o.id = p.owner_id where p.id = e.target_id
  ) q)`;
const make = piece`(
  select row_to_json(q) from (
    select ${makeColumns} from makes k join users mo on mo.id = k.owner_id where k.id = e.target_id
  ) q)`;

/** Who sees the work sees its entry, and so does the entrant, who can withdraw it. */
export const entryTarget: TargetKind<EntryRow, { slug: string; id: string }> = {
  alias: "e",
  from: (sql, { slug, id }) => sql`
    from contest_entries e join contests c on c.id = e.contest_id where e.id = ${id} and c.slug = ${slug}`,
  columns: (sql) => sql`
    e.id, e.owner_id as "ownerId", e.disqualified_at is not null as "isDisqualified", c.revision::text,
    (select row_to_json(q) from (select ${contestColumns(sql)}) q) as contest, ${prompt(sql)} as prompt, ${make(sql)} as make`,
  // Shared by all that changes its entries, so that its result has what was in time, and nothing else.
  lockFirst: (sql, { slug }) => [sql`select from contests where slug = ${slug} for share`],
  lockedBy: ({ contest }) => `contest ${contest.id}`,

  visibility(entry, caller) {
    if (owns(caller, entry)) return "visible";
    const { isDisqualified, prompt, make } = entry;
    const isSeen =
      (prompt !== null && promptTarget.visibility(prompt, caller) === "visible") ||
      (make !== null && makeTarget.visibility(make, caller) === "visible");
    return isSeen && !isDisqualified ? "visible" : "hidden";
  },

  roles: (entry, caller) => [
    ...(owns(caller, entry) ? ["entrant"] : []),
    ...contestTarget.roles(entry.contest, caller),
  ],
};
