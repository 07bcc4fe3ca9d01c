import type { Fragment, Sql } from "../../database/sql.ts";

/**
 * PostgreSQL's parser looks for addresses, tags and paths in a text, and spends time that grows with its square where
 * one begins again and again without an end (`a_a_a_…`). So it is shown words alone; quotes and hyphens stay, which
 * mean something in a query.
 */
const punctuation = "!#$%&'()*+,./:;<=>?@[\\]^_`{|}~";
const words = (sql: Sql, text: Fragment): Fragment =>
  sql`translate(${text}, ${punctuation}, repeat(' ', ${punctuation.length}::int))`;

/**
 * What people typed, as a query for documents: no text is a wrong one. Of hyphens only those stay that say "not" of
 * something, for PostgreSQL counts the others too, and gives up at 32.
 */
export const searchQuery = (sql: Sql, q: string): Fragment => sql`(
  select websearch_to_tsquery('english',
    regexp_replace(${words(sql, sql`${q}::text`)}, '-+(?=[[:space:]-]|$)', ' ', 'g')))`;

/**
 * Writes what search looks through for a prompt: title, tags, summary, and the first 65,536 characters of the entry
 * file of its latest version, of which no text makes more than a document can hold (1 MiB). Whatever changes one of
 * these calls it in the same transaction.
 */
export async function indexPrompt(sql: Sql, promptId: string): Promise<void> {
  await sql`
    with shown as (
      select p.id, p.title, array_to_string(p.tags, ' ') as tags, coalesce(p.summary, '') as summary,
        coalesce(left(convert_from(b.content, 'UTF8'), 65536), '') as entry
      from prompts p left join versions v on v.prompt_id = p.id and v.n = p.latest_version
        left join version_files f on f.version_id = v.id and f.path = v.entry left join blobs b on b.sha256 = f.sha256
      where p.id = ${promptId}
    )
    insert into search_documents (type, id, document)
    select 'prompt', id, ${weighted(sql, sql`title`, "A")} || ${weighted(sql, sql`tags`, "B")}
      || ${weighted(sql, sql`summary`, "C")} || ${weighted(sql, sql`entry`, "D")}
    from shown
    on conflict (type, id) do update set document = excluded.document`;
}

const weighted = (sql: Sql, text: Fragment, weight: "A" | "B" | "C" | "D"): Fragment =>
  sql`setweight(to_tsvector('english', ${words(sql, text)}), ${weight})`;
