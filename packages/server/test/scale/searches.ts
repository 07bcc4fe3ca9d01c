import type { Fragment, Sql } from "../../src/database/sql.ts";
import { searchQuery } from "../../src/groups/prompts/search.sql.ts";
import { promptSummary } from "../../src/groups/prompts/summary.sql.ts";
import { isListed } from "../../src/groups/prompts/visibility.sql.ts";
import { textWord } from "../seed/words.ts";
import { jsonOf, timeOf } from "./client.ts";
import { compare } from "./measure.ts";
import type { World } from "./world.ts";

const limit = 1.5;
const mostListed = 1_000;

/** What is searched, by how much of it there is. The common ones stand in most texts. */
const words: Record<string, string[]> = {
  rare: [3_000, 5_000, 8_000, 13_000, 21_000, 34_000].map(textWord),
  usual: [300, 420, 510, 640, 770, 890].map(textWord),
  common: [0, 2, 5, 9, 14].map(textWord),
  "pairs of": [
    [1, 400],
    [3, 700],
    [8, 1_200],
  ].map((pair) => pair.map(textWord).join(" ")),
};

/** A search: its path, and the least that its answer needs in SQL. */
interface Search {
  path: (words: string) => string;
  bare: (sql: Sql, words: string) => Fragment;
}

/** So many matches are ranked, as the server does. */
const mostRanked = 10_000;

/**
 * Every search of the API; to add one, add a line. `bare` is one statement that prints the items of the first page. It counts
 * nothing, makes no cursor and knows no preferences, and takes the matches that it ranks in any order.
 */
const searches: Record<string, Search> = {
  "/prompts?q=": {
    path: (words) => `/prompts?q=${encodeURIComponent(words)}`,
    bare: (sql, words) => sql`
      with candidate as (
        select p.id, (1 + 0.1 * ln(1 + p.hourly_stars::float8)) * ts_rank(d.document, ${searchQuery(sql, words)}) as score
        from search_documents d join prompts p on p.id = d.id
        where d.type = 'prompt' and d.document @@ ${searchQuery(sql, words)} and ${isListed(sql)}
          and p.rating <> 'mature'
        limit ${mostRanked}
      ), shown as (select id, score from candidate order by score desc, id desc limit 30)
      select ${promptSummary(sql, { caller: null, publicUrl: "http://127.0.0.1" })}::text as item
      from shown join prompts p on p.id = shown.id join users o on o.id = p.owner_id order by score desc, p.id desc`,
  },
};

/** Compares each search with what it needs, and reads one to its end. */
export async function proveSearches(world: World): Promise<void> {
  const { sql, client } = world.full;
  for (const [search, { path, bare }] of Object.entries(searches)) {
    for (const [kind, sought] of Object.entries(words)) {
      const wordsOf = (round: number) => sought[round % sought.length]!;
      const sides = {
        base: (round: number) => timeOfSql(bare(sql, wordsOf(round))),
        ours: (round: number) => timeOf(client, path(wordsOf(round))),
      };
      world.onFigure(
        await compare(`${search} ${kind} words, p95`, sides, {
          rounds: world.rounds * 2,
          limit,
          share: "p95",
        }),
      );
    }
  }
  await readToTheEnd(world, words["common"]![0]!);
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
      where d.document @@ ${searchQuery(sql, q)} and ${isListed(sql)} and p.rating <> 'mature' limit ${mostListed}
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
