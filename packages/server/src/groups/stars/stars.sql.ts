import type { PromptKind, StarredPrompt } from "@promptreg/core";
import { object } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { count, selectCount } from "../../kernel/changes/counters.ts";
import type { Trend } from "../../kernel/group.ts";
import type { Key, Listed } from "../../kernel/lists/page.ts";
import { isVisibleTo, promptById, promptSummary, type Viewing } from "../prompts/index.ts";

/** Whose star on which prompt. */
interface Pair {
  userId: string;
  promptId: string;
}

/** Stars a prompt, unless it is starred already. */
export const insertStar = (sql: Sql, { userId, promptId }: Pair) => sql`
  insert into stars (prompt_id, user_id, kind) select id, ${userId}, kind from prompts where id = ${promptId}
  on conflict do nothing`;

export const deleteStar = (sql: Sql, { userId, promptId }: Pair) => sql`
  delete from stars where prompt_id = ${promptId} and user_id = ${userId}`;

/** Whose star on which make. */
interface MakePair {
  userId: string;
  makeId: string;
}

/** Stars a make, unless it is starred already. */
export const insertMakeStar = (sql: Sql, { userId, makeId }: MakePair) => sql`
  insert into make_stars (make_id, user_id) values (${makeId}, ${userId}) on conflict do nothing`;

export const deleteMakeStar = (sql: Sql, { userId, makeId }: MakePair) => sql`
  delete from make_stars where make_id = ${makeId} and user_id = ${userId}`;

/** Counts the stars of a thing that came or went, and says how many there are now. */
export async function countStars(sql: Sql, subjectId: string, delta: number): Promise<number> {
  const stars = { subjectId, name: "stars" };
  if (delta !== 0) await count(sql, { ...stars, delta });
  return selectCount(sql, stars);
}

/** The JSON of a prompt that is starred, from `stars s`, `prompts p` and `users o`. */
const starredPrompt = object<StarredPrompt, Viewing>({
  starredAt: "iso(s.starred_at)",
  prompt: promptSummary,
});

/** The prompts that an account starred and can see now, newest star first. */
export const listStars = (
  sql: Sql,
  viewing: Viewing & { caller: Caller },
  { kind, after, take }: { kind: PromptKind | undefined; after: Key | null; take: number },
) => {
  const { caller } = viewing;
  const [at = null, id = null] = after ?? [];
  return sql<Listed[]>`
    select ${starredPrompt(sql, viewing)}::text as item, json_build_array(iso(s.starred_at), s.prompt_id) as key
    from stars s cross join lateral ${promptById(sql, sql`s.prompt_id`)} p join users o on o.id = p.owner_id
    where s.user_id = ${caller.id} and ${isVisibleTo(sql, caller)}
      and ${kind === undefined ? sql`true` : sql`s.kind = ${kind}`}
      and ${after ? sql`(s.starred_at, s.prompt_id) < (${at}::timestamptz, ${id})` : sql`true`}
    order by s.starred_at desc, s.prompt_id desc limit ${take}`;
};

/** What a star counts, and who gave one. */
export const trend: Trend = {
  weight: 3,
  hourly: "stars",
  acts: (sql, { promptIds, since }) => sql`
    select wanted.id as prompt_id, s.user_id, s.starred_at as at from unnest(${[...promptIds]}::text[]) as wanted (id) cross join lateral (
      select * from stars where prompt_id = wanted.id offset 0
    ) s where s.starred_at > ${since}`,
};
