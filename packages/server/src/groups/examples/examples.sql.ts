import { one } from "../../database/rows.ts";
import type {
  CreateExample,
  Example,
  ExampleStatus,
  JsonText,
  ListExamples,
  UpdateExample,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { countsOf } from "../../kernel/changes/counters.ts";
import { mediaListOf, type MediaSite } from "../../kernel/media/printed.sql.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import type { Page } from "../../kernel/lists/page.ts";
import { isVisibleToAll } from "../prompts/index.ts";

/** Whether everybody sees `examples e` of `prompts p`. */
const isForAll = piece`(e.status = 'approved' and ${isVisibleToAll})`;

/** An example, from `examples e` joined with `prompts p` and `users o`. */
const exampleColumns = columns<Example, MediaSite>({
  id: "e.id",
  prompt: { ref: "o.handle || '/' || p.slug" },
  versionNumber: "e.version_n",
  author: userRef("e.author_id"),
  title: "e.title",
  model: "e.model",
  variables: "e.variables",
  input: "e.input",
  output: "e.output",
  media: piece<MediaSite>`${mediaListOf<MediaSite>("e.media_ids", isForAll)}`,
  note: "e.note",
  status: "e.status",
  rejectReason: "e.reject_reason",
  position: "e.position",
  votes: piece`${countsOf<Example["votes"]>("e.id", { up: true, down: true })}`,
  createdAt: "iso(e.created_at)",
  decidedAt: "iso(e.decided_at)",
});

/** What an example shows that can change without its revision: names, its position, and the addresses of its media. */
export const exampleState = piece`
  json_build_array(o.handle, p.slug, e.position, (select u.revision from users u where u.id = e.author_id),
    ${isForAll}, case when cardinality(e.media_ids) > 0 and not ${isForAll} then date_trunc('hour', clock()) end)`;

export async function selectExample(
  sql: Sql,
  { id, ...site }: { id: string } & MediaSite,
): Promise<JsonText<Example>> {
  const [row] = await sql<{ example: JsonText<Example> }[]>`
    select row_to_json(example)::text as example from (
      select ${exampleColumns(sql, site)}
      from examples e join prompts p on p.id = e.prompt_id join users o on o.id = p.owner_id
      where e.id = ${id} and e.deleted_at is null
    ) example`;
  // A read has no lock: the example may have been deleted since it was found.
  if (row === undefined) throw apiError("gone");
  return row.example;
}

/** The position for lists: what has none comes last, by its id. The indexes have this expression. */
const place = (sql: Sql): Fragment => sql`coalesce(position, 2147483647)`;

/** Which examples of a prompt somebody sees. */
export interface Wanted extends Pick<ListExamples, "version"> {
  promptId: string;
  statuses: readonly ExampleStatus[];
  /** Of those that are not approved, only the ones of this author; null for all. */
  authorId: string | null;
}

/** A page of a prompt's examples. Each status is read from its own index, and no further than the page goes. */
export function selectExamples(
  sql: Sql,
  { promptId, statuses, version, authorId }: Wanted,
  { after, take, ...site }: Pick<Page, "after" | "take"> & MediaSite,
): Promise<Fitting[]> {
  const [position = null, id = null] = after ?? [];
  const ofStatus = (status: ExampleStatus) => sql`(
    select * from examples
    where prompt_id = ${promptId} and status = ${status} and deleted_at is null
      ${version === undefined ? sql`` : sql`and version_n = ${version}`}
      ${status === "approved" || authorId === null ? sql`` : sql`and author_id = ${authorId}`}
      ${after === null ? sql`` : sql`and (${place(sql)}, id) > (${position}::int, ${id})`}
    order by ${place(sql)}, id limit ${take})`;
  const all = statuses.map(ofStatus).reduce((some, more) => sql`${some} union all ${more}`);
  const rows = sql`
    select *, ${place(sql)} as place,
      coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) + 1000 * cardinality(media_ids) + pg_column_size(variables) as size
    from (${all}) every order by place, id limit ${take}`;
  return sql<Fitting[]>`
    select row_to_json(example)::text as item, json_build_array(e.place, e.id) as key, e.found
    from ${fitting(sql, { rows, order: sql`place, id` })} e
      join prompts p on p.id = e.prompt_id join users o on o.id = p.owner_id
      cross join lateral (select ${exampleColumns(sql, site)}) example
    order by e.place, e.id`;
}

/** Writes an example and gives its id. One that is approved has a position. */
export async function insertExample(
  sql: Sql,
  {
    promptId,
    authorId,
    example: {
      versionNumber = null,
      title = null,
      model = null,
      variables = {},
      input = null,
      output = null,
      mediaIds = [],
      note = null,
    },
    position,
  }: { promptId: string; authorId: string; example: CreateExample; position: number | null },
): Promise<string> {
  const isApproved = position !== null;
  const { id } = await one(sql<{ id: string }[]>`
    insert into examples (prompt_id, version_n, author_id, title, model, variables, input, output, media_ids, note, status,
      position, decided_at)
    values (${promptId}, ${versionNumber}, ${authorId}, ${title}, ${model}, ${sql.json(variables as never)}, ${input},
      ${output}, ${mediaIds}, ${note}, ${isApproved ? "approved" : "pending"}, ${position},
      ${isApproved ? sql`clock()` : null})
    returning id`);
  return id;
}

/** Changes what an example says, and gives whether anything is different now. */
export async function updateExample(
  sql: Sql,
  { id, change }: { id: string; change: UpdateExample },
): Promise<boolean> {
  const { variables, mediaIds, ...texts } = change;
  const text = (name: "title" | "model" | "input" | "output" | "note") =>
    texts[name] === undefined ? sql(name) : sql`${texts[name]}::text`;
  const all = sql`
    ${text("title")}, ${text("model")}, ${text("input")}, ${text("output")}, ${text("note")},
    ${mediaIds === undefined ? sql`media_ids` : sql`${mediaIds}::text[]`},
    ${variables === undefined ? sql`variables` : sql`${sql.json(variables as never)}::jsonb`}`;
  const { count } = await sql`
    update examples set (title, model, input, output, note, media_ids, variables) = row(${all}), revision = revision + 1
    where id = ${id} and (title, model, input, output, note, media_ids, variables) is distinct from (${all})`;
  return count > 0;
}

/** Sets the status of an example. One that is approved gets a position. */
export const decideExample = (
  sql: Sql,
  {
    id,
    status,
    position = null,
    reason = null,
  }: {
    id: string;
    status: ExampleStatus;
    position?: number | null;
    reason?: string | null;
  },
) => sql`
  update examples set status = ${status}, position = ${position}, reject_reason = ${reason},
    decided_at = ${status === "pending" ? null : sql`clock()`}, revision = revision + 1
  where id = ${id}`;

export const deleteExample = (sql: Sql, id: string) => sql`
  update examples set deleted_at = clock(), position = null, revision = revision + 1 where id = ${id}`;

/** How many examples of a prompt are approved, and the last position. */
export async function selectApproved(
  sql: Sql,
  promptId: string,
): Promise<{ ids: string[]; lastPosition: number }> {
  return one(sql<{ ids: string[]; lastPosition: number }[]>`
    select coalesce(array_agg(id), '{}') as ids, coalesce(max(position), 0) as "lastPosition" from examples
    where prompt_id = ${promptId} and status = 'approved' and deleted_at is null`);
}

/** How many examples of an author wait at a prompt, with those that the author deleted in the last 24 hours. */
export async function countPending(
  sql: Sql,
  { promptId, authorId }: { promptId: string; authorId: string },
): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from examples
    where prompt_id = ${promptId} and author_id = ${authorId} and status = 'pending'
      and (deleted_at is null or deleted_at > clock() - interval '24 hours')`);
  return count;
}

/** Gives examples the positions 1, 2, … in this order. */
export const orderExamples = (sql: Sql, ids: readonly string[]) => sql`
  update examples e set position = wanted.position::int
  from unnest(${[...ids]}::text[]) with ordinality wanted (id, position) where e.id = wanted.id`;
