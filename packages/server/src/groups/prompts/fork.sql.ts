import type { Prompt } from "@promptreg/core";
import { object, type Part, type Piece, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Trend } from "../../kernel/group.ts";
import { numbered } from "../../kernel/input/free-slug.sql.ts";
import { isListed } from "./visibility.sql.ts";
import { privateSeenBy } from "../../kernel/accounts/ownership.ts";

/** How many slugs are tried: an account that has forked a prompt more often chooses one itself. */
const mostTried = 1_000;

/** The slug itself, or the first of `-2`, `-3`… that a locked account never used. If all are taken, the slug. */
export async function selectFreeSlug(
  sql: Sql,
  { ownerId, slug }: { ownerId: string; slug: string },
): Promise<string> {
  const [row] = await sql<{ slug: string }[]>`
    select candidate as slug from (
      ${numbered(sql, slug, mostTried)} order by nth
    ) tried
    where not exists (select from prompts where owner_id = ${ownerId} and slug = candidate)
      and not exists (select from former_slugs where owner_id = ${ownerId} and slug = candidate)
    order by nth limit 1`;
  return row?.slug ?? slug;
}

/** Counts a public fork for its source. Nothing is counted if the prompt is no fork. */
export const countFork = (sql: Sql, promptId: string, delta: 1 | -1) => sql`
  insert into counter_changes (subject_id, name, delta)
  select forked_from_id, 'forks', ${delta} from prompts where id = ${promptId} and forked_from_id is not null`;

const source = object<NonNullable<Prompt["forkedFrom"]>>({
  ref: "so.handle || '/' || s.slug",
  versionNumber: "p.forked_from_n",
});

/**
 * What `prompts p` was forked from, for those who may know: everybody if the source is public. If it is unlisted, the owners of
 * both, since the owner of the fork had its address. If it is private, its owner.
 */
export const forkedFrom = <Given>(viewerId: Part<Given>): Piece<Given> => piece<Given>`(
  select ${source}
  from prompts s join users so on so.id = s.owner_id
  where s.id = p.forked_from_id and s.deleted_at is null
    and (s.visibility = 'public' or ${privateSeenBy(viewerId, "s")}
      or s.visibility = 'unlisted' and ${privateSeenBy(viewerId)}))`;

/** What a public fork counts, and who made one. */
export const trend: Trend = {
  weight: 5,
  acts: (sql, { promptIds, since }) => sql`
    select wanted.id as prompt_id, p.owner_id as user_id, p.created_at as at
    from unnest(${[...promptIds]}::text[]) as wanted (id) cross join lateral (
      select * from prompts p where p.forked_from_id = wanted.id and ${isListed(sql)} offset 0
    ) p where p.created_at > ${since}`,
};
