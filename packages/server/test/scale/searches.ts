import type { Fragment, Sql } from "../../src/database/sql.ts";
import { searchQuery } from "../../src/groups/prompts/search.sql.ts";
import { promptSummary } from "../../src/groups/prompts/summary.sql.ts";
import { isListed } from "../../src/groups/prompts/visibility.sql.ts";
import { words as seedWords, tagName, textWord } from "../seed/words.ts";
import { jsonOf, timeOf } from "./client.ts";
import { compare } from "./measure.ts";
import type { World } from "./world.ts";

const limit = 1.5;
/** So many matches are ranked and shown, as the server does. */
const mostRanked = 1_000;

/** What is searched, by how much of it there is. The common ones stand in most texts. */
const words = {
  rare: [3_000, 5_000, 8_000, 13_000, 21_000, 34_000].map(textWord),
  usual: [300, 420, 510, 640, 770, 890].map(textWord),
  common: [0, 2, 5, 9, 14].map(textWord),
  "pairs of": [
    [1, 400],
    [3, 700],
    [8, 1_200],
  ].map((pair) => pair.map(textWord).join(" ")),
};
const tags = {
  usual: [12, 30, 60].map(tagName),
  common: [0, 1, 4, 9].map(tagName),
};
/** Words and a tag. */
const tagged = {
  common: words.common.map((word, nth) => `${word} ${tags.usual[nth % tags.usual.length]}`),
};
const beginnings = {
  short: ["a", "p", "ch", "ma"],
  long: [2, 20, 40].map((nth) => `${seedWords[nth]} ${seedWords[nth + 1]}`),
  misspelt: ["promtp", "agnet bord", "grahp shet", "learrn"],
};

/** A search: its path, what is sought, and the least that its answer needs in SQL. */
interface Search {
  path: (sought: string) => string;
  sought: Record<string, readonly string[]>;
  bare: (sql: Sql, sought: string) => Fragment;
}

const isFound = (sql: Sql): Fragment => sql`${isListed(sql)} and p.rating <> 'mature'`;
const summary = (sql: Sql) => promptSummary(sql, { caller: null, publicUrl: "http://127.0.0.1" });

/** Matches in any order, as many as are ranked. */
const ranked = (sql: Sql, q: string): Fragment => sql`
  candidate as materialized (
    select p.id, p.kind, p.tags, p.license,
      (1 + 0.1 * ln(1 + p.hourly_stars::float8)) * ts_rank(d.document, ${searchQuery(sql, q)}) as score
    from search_documents d join prompts p on p.id = d.id
    where d.type = 'prompt' and d.document @@ ${searchQuery(sql, q)} and ${isFound(sql)}
    limit ${mostRanked}
  ), shown as (select id, score from candidate order by score desc, id desc limit 30)`;

const beginsWith = (sql: Sql, name: Fragment, start: string): Fragment =>
  sql`${name} >= ${start} and ${name} < ${`${start}\u{10ffff}`}`;

/** Sets how much alike names have to be, before the rest of a statement runs. */
const isTolerant = (sql: Sql): Fragment =>
  sql`(select set_config('pg_trgm.word_similarity_threshold', '0.35', true)) is not null`;

/**
 * Every search of the API; to add one, add a line. `bare` is one statement that has what the first page shows. It counts nothing,
 * makes no cursor, knows no preferences and highlights nothing.
 */
const searches: Record<string, Search> = {
  "/prompts?q=": {
    path: (q) => `/prompts?q=${encodeURIComponent(q)}`,
    sought: words,
    bare: (sql, q) => sql`
      with ${ranked(sql, q)}
      select ${summary(sql)}::text as item
      from shown join prompts p on p.id = shown.id join users o on o.id = p.owner_id order by score desc, p.id desc`,
  },
  "/search?q=": {
    path: (q) => `/search?q=${encodeURIComponent(q)}`,
    sought: words,
    bare: (sql, q) => sql`
      with ${ranked(sql, q)}
      select ${summary(sql)}::text as item, (
        select left(convert_from(b.content, 'UTF8'), 8192)
        from versions v join version_files f on f.version_id = v.id and f.path = v.entry join blobs b on b.sha256 = f.sha256
        where v.prompt_id = p.id and v.n = p.latest_version
      ) as entry
      from shown join prompts p on p.id = shown.id join users o on o.id = p.owner_id
      union all (select kind, count(*)::text from candidate group by kind)
      union all (select tag, count(*)::text from candidate, unnest(tags) tag group by tag order by count(*) desc limit 20)
      union all (select license, count(*)::text from candidate group by license order by count(*) desc limit 20)`,
  },
  "/prompts?sort=newest&tag=&q=": {
    path: (sought) => {
      const [word, tag] = sought.split(" ");
      return `/prompts?sort=newest&tag=${tag}&q=${word}`;
    },
    sought: tagged,
    bare: (sql, sought) => {
      const [word = "", tag = ""] = sought.split(" ");
      return sql`
        select ${summary(sql)}::text as item from (
          select p.* from search_documents d join prompts p on p.id = d.id
          where d.type = 'prompt' and d.document @@ ${searchQuery(sql, word)} and p.tags @> ${[tag]} and ${isFound(sql)}
          order by coalesce(p.published_at, p.created_at) desc, p.id desc limit 30
        ) p join users o on o.id = p.owner_id order by coalesce(p.published_at, p.created_at) desc, p.id desc`;
    },
  },
  "/search/suggest?q=": {
    path: (q) => `/search/suggest?q=${encodeURIComponent(q)}`,
    sought: { short: beginnings.short, long: beginnings.long },
    bare: (sql, q) => sql`
      (select p.title, o.handle || '/' || p.slug from prompts p join users o on o.id = p.owner_id
        where (${beginsWith(sql, sql`folded(p.title) collate "C"`, q)} or ${beginsWith(sql, sql`p.slug collate "C"`, q)})
          and ${isFound(sql)}
        order by p.hourly_stars desc, p.id desc limit 10)
      union all (select name, name from tags where ${beginsWith(sql, sql`name`, q)} order by prompt_count desc limit 10)
      union all (select name, handle from users where ${beginsWith(sql, sql`handle collate "C"`, q)}
        order by handle collate "C" limit 10)`,
  },
  "/search/suggest?q= with mistakes,": {
    path: (q) => `/search/suggest?q=${encodeURIComponent(q)}`,
    sought: { misspelt: beginnings.misspelt },
    bare: (sql, q) => sql`
      (select p.title, p.slug from prompts p where ${isTolerant(sql)} and ${q} <% folded(p.title) and ${isFound(sql)}
        order by word_similarity(${q}, folded(p.title)) desc limit 10)
      union all (select name, name from tags where ${isTolerant(sql)} and ${q} <% name order by word_similarity(${q}, name) desc limit 10)
      union all (select name, handle from users where ${isTolerant(sql)} and ${q} <% handle order by word_similarity(${q}, handle) desc limit 10)`,
  },
  "/tags/": {
    path: (name) => `/tags/${name}`,
    sought: tags,
    bare: (sql, name) => sql`
      with top as materialized (
        select * from prompts p where p.tags @> ${[name]} and ${isFound(sql)} order by p.hourly_stars desc, p.id desc limit 100
      )
      (select prompt_count::text from tags where name = ${name})
      union all (select ${summary(sql)}::text from (select * from top limit 10) p join users o on o.id = p.owner_id)
      union all (select tag from top, unnest(tags) tag group by tag order by count(*) desc limit 10)`,
  },
};

/** Compares each search with what it needs, and reads one to its end. */
export async function proveSearches(world: World): Promise<void> {
  const { sql, client } = world.full;
  for (const [search, { path, sought, bare }] of Object.entries(searches)) {
    for (const [kind, all] of Object.entries(sought)) {
      const nth = (round: number) => all[round % all.length]!;
      const sides = {
        base: (round: number) => timeOfSql(bare(sql, nth(round))),
        ours: (round: number) => timeOf(client, path(nth(round))),
      };
      const name = `${search} ${kind} words, p95`;
      world.onFigure(await compare(name, sides, { rounds: world.rounds * 2, limit, share: "p95" }));
    }
  }
  await readToTheEnd(world, words.common[0]!);
}

async function timeOfSql(statement: PromiseLike<unknown>): Promise<number> {
  const startedAt = performance.now();
  await statement;
  return performance.now() - startedAt;
}

async function readToTheEnd({ full: { client, sql }, onProblem }: World, q: string): Promise<void> {
  const [{ matches } = { matches: 0 }] = await sql<{ matches: number }[]>`
    select count(*)::int as matches from (
      select from search_documents d join prompts p on p.id = d.id
      where d.document @@ ${searchQuery(sql, q)} and ${isFound(sql)} limit ${mostRanked}
    ) d`;
  const ids = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `/prompts?q=${q}&limit=100${cursor && `&cursor=${cursor}`}`;
    const page: { items: { id: string }[]; nextCursor: string | null } = await jsonOf(client, path);
    page.items.forEach(({ id }) => ids.add(id));
    cursor = page.nextCursor;
  }
  if (ids.size !== matches) onProblem(`A search ends after ${ids.size} of ${matches} prompts.`);
}
