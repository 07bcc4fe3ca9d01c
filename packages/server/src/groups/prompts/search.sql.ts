import { queryWords, searchWords } from "@promptreg/core/search";
import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { blobOfFile } from "./blob.sql.ts";

/**
 * A search query for documents. Every text is valid. In a subquery, so that plans do not depend on the words.
 */
export const searchQuery = (sql: Sql, q: string): Fragment =>
  wanting(sql, sql`websearch_to_tsquery('english', ${queryWords(q)})`);

/** A query that finds nothing if it only excludes: no index could find that. */
export const wanting = (sql: Sql, query: Fragment): Fragment =>
  sql`(select case querytree(q) when 'T' then '' else q end from ${query} q)`;

/** A term that documents have beside words, as a search query. */
export const term = (name: string, value: string | number): string =>
  `'${name}:${String(value).replace(/['\\]/g, "$&$&")}'`;

/** The texts of a prompt that search finds, without its entry file. */
export interface About {
  title: string;
  tags: readonly string[];
  summary: string | null;
}

/**
 * Indexes a prompt's title, tags and summary, and the terms that searches filter by. Then index the entry file: its words come
 * after these. Call both in every transaction that changes one of these, or the license.
 */
export const indexAbout = (sql: Sql, promptId: string, { title, tags, summary }: About) => {
  const document = sql`${weighted(sql, title, "A")} || ${weighted(sql, tags.join(" "), "B")}
    || ${weighted(sql, summary ?? "", "C")}`;
  return sql`
    insert into search_documents (type, id, document, making)
    select 'prompt', p.id, ${document} || array_to_tsvector(search_terms(p)), 2 from prompts p where p.id = ${promptId}
    on conflict (type, id) do update set document = excluded.document`;
};

/** Indexes the entry file of a prompt's latest version. Call it in every transaction that changes that, after the prompt. */
export const indexEntry = (sql: Sql, promptId: string, text: string) => sql`
  update search_documents d
  set document = ts_filter(d.document, '{a,b,c}') || to_tsvector('english', ${searchWords(text)})
    || array_to_tsvector(search_terms(p))
  from prompts p
  where d.type = 'prompt' and d.id = ${promptId} and p.id = d.id`;

/** Indexes all that search finds of a prompt, by its latest version `n`. */
export async function indexPrompt(
  sql: Sql,
  promptId: string,
  { n, ...about }: About & { n: number | null },
): Promise<void> {
  await indexAbout(sql, promptId, about);
  await indexEntry(sql, promptId, await selectEntry(sql, { promptId, n }));
}

/** Prompts whose documents one transaction makes anew: few, so that edits of these wait for milliseconds. */
const batch = 20;
const oneBatch = limitTo(batch);
const twoBatches = limitTo(2 * batch);
/** Documents that are made anew in a minute. Reads and deliveries have the rest of it. */
const perMinute = 10_000;

/** Makes documents anew whose words are of an older making; `search_documents_outdated` says which. */
export async function renewDocuments(sql: ServerContext["sql"]): Promise<void> {
  for (let renewed = 0, last = batch; last === batch && renewed < perMinute; renewed += last)
    last = await sql.begin(renewSome);
}

/** The locks keep out edits, which would write a document meanwhile. Another process skips these prompts. */
async function renewSome(sql: Sql): Promise<number> {
  const prompts = await sql<(About & { id: string; n: number | null })[]>`
    select p.id, p.title, p.tags, p.summary, p.latest_version as n
    from prompts p where p.id in (select d.id from search_documents d where d.making < 2 order by d.id ${twoBatches(sql)})
    order by p.id ${oneBatch(sql)} for no key update skip locked`;
  for (const { id, ...about } of prompts) {
    await indexPrompt(sql, id, about);
    await sql`update search_documents set making = 2 where type = 'prompt' and id = ${id}`;
  }
  return prompts.length;
}

/** The text of the entry file of a version; empty if there is no such version. */
export async function selectEntry(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number | null },
): Promise<string> {
  const [row] = await sql<{ text: string }[]>`
    select convert_from(b.content, 'UTF8') as text
    from versions v join version_files f on f.version_id = v.id and f.path = v.entry
      cross join lateral ${blobOfFile(sql)} b
    where v.prompt_id = ${promptId} and v.n = ${n}`;
  return row?.text ?? "";
}

/** The words of a text, with their weight in a document. */
export const weighted = (sql: Sql, text: string, weight: "A" | "B" | "C" | "D"): Fragment =>
  sql`setweight(to_tsvector('english', ${searchWords(text)}), ${weight})`;
