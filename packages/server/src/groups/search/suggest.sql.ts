import { limits, type Suggestion } from "@promptreg/core";
import { leastLikeness } from "@promptreg/core/search";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type ByCount, firstByCount } from "../../kernel/lists/by-count.sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { isCollectionListed } from "../collections/index.ts";
import { isMakeListed } from "../makes/index.ts";
import { isDecent, isListed, type Viewing } from "../prompts/index.ts";
import { beginsWith, tagsByCount } from "../tags/index.ts";

/** What is completed, and for whom. */
export interface Completing extends Pick<Viewing, "caller"> {
  text: string;
  type: Suggestion["type"] | undefined;
  most: number;
}

/** Up to this many matches are sorted; of more, the index of their order soon gives enough. */
const few = 1_000;
/** How many names that are almost alike are compared. */
const mostCompared = 500;

/** The names that begin with a text: of prompts the most starred, of collections the largest, of tags the most used, of accounts the first by name. */
export async function selectBeginning(
  sql: Sql,
  { text, type, caller, most }: Completing,
): Promise<Suggestion[]> {
  const start = sql`(select folded(${text}))`;
  const title = sql`folded(p.title) collate "C"`;
  const slug = sql`p.slug collate "C"`;
  const [owner, below] = text.toLowerCase().split("/");
  const isWanted = sql`${wants(type, "prompt")} and ${isDecent(sql, caller)}`;
  // In the order of its index, so that this is read no further than needed.
  const named = (name: Fragment) => sql`(
    select id from prompts p where ${isListed(sql)} and ${isWanted} and ${beginsWith(sql, name, start)}
    order by ${name} limit ${few + 1})`;
  const isPrompt =
    below === undefined
      ? {
          fits: sql`(${beginsWith(sql, title, start)} or ${beginsWith(sql, slug, start)})`,
          found: sql`p.id in (${named(title)} union all ${named(slug)})`,
          few,
        }
      : {
          // No account has more.
          few: limits.promptsPerAccount,
          fits: sql`p.owner_id = (select id from users where handle = ${owner ?? ""}) and starts_with(p.slug, ${below})`,
        };
  const promptsByCount = {
    from: sql`prompts`,
    alias: sql`p`,
    listed: isListed(sql),
    ...isPrompt,
    fits: sql`${isWanted} and ${isPrompt.fits}`,
    order: sql`order by p.hourly_stars desc, p.id desc`,
  };
  const isTag = sql`${wants(type, "tag")} and ${beginsWith(sql, sql`t.name`, start)}`;
  const isMake = sql`${wants(type, "make")} and ${beginsWith(sql, sql`folded(k.title) collate "C"`, start)}`;
  const isCollection = sql`${wants(type, "collection")} and ${beginsWith(sql, sql`folded(c.title) collate "C"`, start)}`;
  return await sql<Suggestion[]>`
    ${prompts(sql, firstByCount(sql, { ...promptsByCount, take: most }), promptsByCount.order)}
    union all
    select 'collection', c.title, c.id from (${firstByCount(sql, { ...collectionsByCount(sql, isCollection), take: most })}) c
    union all
    select 'make', k.title, k.slug from (${firstByCount(sql, { ...makesByCount(sql, isMake), take: most })}) k
    union all
    select 'tag', t.name, t.name from (${firstByCount(sql, { ...tagsByCount(sql, isTag), take: most })}) t
    union all
    (select 'user', coalesce(u.name, u.handle), u.handle from users u
      where ${wants(type, "user")} and u.suspended_at is null and ${beginsWith(sql, sql`u.handle collate "C"`, start)}
      order by u.handle collate "C" limit ${most})`;
}

/** The names that have much of a text in spite of typing errors, the most alike first. Of equals the order is fixed, too. */
export const selectAlike = (
  sql: ServerContext["sql"],
  { text, type, caller, most }: Completing,
): Promise<Suggestion[]> =>
  sql.begin(async (tx) => {
    await tx`select set_config('pg_trgm.word_similarity_threshold', ${String(leastLikeness)}, true)`;
    const start = tx`(select folded(${text}))`;
    const { listed } = tagsByCount(tx, tx`true`);
    const alike = (
      from: Fragment,
      name: Fragment,
      isShown: Fragment,
      { one, order }: { one: Suggestion["type"]; order: Fragment },
    ): Fragment => tx`
      select near.*, word_similarity(${start}, spelt) as likeness from (
        select *, ${name} as spelt from ${from} where ${wants(type, one)} and ${start} <% ${name} and ${isShown}
        limit ${mostCompared}
      ) near order by likeness desc, ${order} limit ${most}`;
    return [
      ...(await tx<Suggestion[]>`
        ${prompts(tx, alike(tx`prompts p`, tx`folded(p.title)`, tx`${isListed(tx)} and ${isDecent(tx, caller)}`, { one: "prompt", order: tx`near.id desc` }), tx`order by likeness desc, p.id desc`)}
        union all
        select 'collection', c.title, c.id from (${alike(tx`collections c`, tx`folded(c.title)`, isCollectionListed(tx), { one: "collection", order: tx`near.id desc` })}) c
        union all
        select 'make', k.title, k.slug from (${alike(tx`makes k`, tx`folded(k.title)`, isMakeListed(tx), { one: "make", order: tx`near.id desc` })}) k
        union all
        select 'tag', t.name, t.name from (${alike(tx`tags t`, tx`t.name`, listed, { one: "tag", order: tx`near.prompt_count desc, near.name` })}) t
        union all
        select 'user', coalesce(u.name, u.handle), u.handle from (
          ${alike(tx`users u`, tx`u.handle`, tx`u.suspended_at is null`, { one: "user", order: tx`near.handle collate "C"` })}) u`),
    ];
  });

const wants = (type: Completing["type"], one: Suggestion["type"]): boolean =>
  type === undefined || type === one;

/** Collections that fit a condition, the largest first. */
const collectionsByCount = (sql: Sql, fits: Fragment): Omit<ByCount, "isBeyond" | "take"> => ({
  from: sql`collections`,
  alias: sql`c`,
  listed: isCollectionListed(sql),
  fits,
  order: sql`order by c.item_count desc, c.id desc`,
  few,
});

/** Makes that fit a condition, the most starred first. */
const makesByCount = (sql: Sql, fits: Fragment): Omit<ByCount, "isBeyond" | "take"> => ({
  from: sql`makes`,
  alias: sql`k`,
  listed: isMakeListed(sql),
  fits,
  order: sql`order by k.hourly_stars desc, k.id desc`,
  few,
});

/** A fork that is named like its source is left out beside it, unless more people star it. */
const prompts = (sql: Sql, found: Fragment, order: Fragment): Fragment => sql`
  (with found as (${found})
    select 'prompt' as type, p.title as label, o.handle || '/' || p.slug as value
    from found p join users o on o.id = p.owner_id
    where not exists (
      select from found s where s.id = p.forked_from_id and s.title = p.title and s.hourly_stars >= p.hourly_stars
    ) ${order})`;
