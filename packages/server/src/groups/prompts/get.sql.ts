import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Conditional } from "../../kernel/handler.ts";
import type { Loaded, LoadRequest } from "../../kernel/target.ts";
import { promptFields, viewerState, type Viewing } from "./summary.sql.ts";
import { type PromptRow, promptColumns } from "./target.ts";
import { type FileDetail, versionJson, versionWith } from "./version.sql.ts";
import { isVisibleToCaller } from "./visibility.sql.ts";

/** Which version is requested; without fields, the latest. */
export interface Wanted {
  version?: number;
  label?: string;
  /** With a label: the version it pointed to at this time. */
  at?: string;
}

/** A prompt and the requested version. `versionId` is null if there is no such version. */
export interface ResolvedRow extends PromptRow {
  versionId: string | null;
  isYanked: boolean;
}

type Address = { owner: string; slug: string };

/** The number of the requested version of `prompts p`; null if there is none. */
export function wantedNumber(sql: Sql, { version, label, at }: Wanted): Fragment {
  if (version !== undefined) return sql`${version}::int`;
  if (label === undefined || label === "latest") return sql`p.latest_version`;
  if (at === undefined)
    return sql`(select l.version_n from labels l where l.prompt_id = p.id and l.name = ${label})`;
  return sql`(
    select m.to_n from label_moves m where m.prompt_id = p.id and m.name = ${label} and m.at <= ${at}::timestamptz
    order by m.at desc, m.seq desc limit 1)`;
}

/**
 * Finds caller, prompt and version in one statement, and further `columns`. In these the caller is `asking.caller`.
 */
export async function loadResolved<Columns = {}>(
  sql: Sql,
  { address, caller }: Pick<LoadRequest<Address>, "address" | "caller">,
  wanted: Wanted,
  columns: Fragment = sql``,
): Promise<Loaded<ResolvedRow & Columns>> {
  const [row] = await sql<{ caller: Loaded<null>["caller"]; id: string | null }[]>`
    select asking.caller, found.*
    from (select ${caller} as caller offset 0) asking left join lateral (
      select ${promptColumns(sql)}, v.id as "versionId", v.yanked_at is not null as "isYanked" ${columns}
      from users o join prompts p on p.owner_id = o.id
        left join versions v on v.prompt_id = p.id and v.n = ${wantedNumber(sql, wanted)}
      where o.handle = ${address.owner} and p.slug = ${address.slug}
    ) found on true`;
  if (row === undefined || row.id === null) return { caller: row?.caller ?? null, target: null };
  return { caller: row.caller, target: row as unknown as ResolvedRow & Columns };
}

/** Whether `at` is in the future. Only with a query that has `at`. */
export interface Timely {
  isAhead?: boolean;
}

const isAhead = (sql: Sql, { at }: Wanted): Fragment =>
  sql`, ${at ?? null}::timestamptz > clock() as "isAhead"`;

/** A version as JSON. Null if there is none, or if the caller has it already: then it is neither read nor printed. */
export interface VersionText {
  versionText: string | null;
}

/** The caller's ETags with this ending, without the ending. */
export const knownBefore = ({ ifNoneMatch }: Conditional, ending: string): string[] =>
  ifNoneMatch
    .filter((etag) => etag.startsWith('"') && etag.endsWith(`${ending}"`))
    .map((etag) => etag.slice(1, -1 - ending.length));

/** The versions that the caller has, as `head` names them. */
interface Known {
  known: readonly string[];
}

/**
 * The column of a version that the caller can see and does not have. Each request builds its statement, and fragments take time:
 * it is one piece, and the comparison is there only if the caller sent ETags.
 */
function versionText(files: FileDetail, head: string): (sql: Sql, known: readonly string[]) => Fragment {
  const any = piece`, case when v.id is not null and ${isVisibleToCaller} then ${versionWith[files]}::text end
    as "versionText"`;
  const unknown = piece<Known>`, case when ${isVisibleToCaller} and ${head} <> all (${(_, { known }) => [...known]}::text[])
    then ${versionWith[files]}::text end as "versionText"`;
  return (sql, known) => (known.length === 0 ? any(sql) : unknown(sql, { known }));
}

const pinnedText = { meta: versionText("meta", "v.id"), full: versionText("full", "v.id") };
const polledText = versionText(
  "full",
  "v.id || case when v.yanked_at is not null then '.yanked' else '' end",
);

/** The column of a pinned version, which never changes. Its ETag ends with the detail of its files. */
export const pinnedVersion = (sql: Sql, request: Conditional, files: FileDetail): Fragment =>
  pinnedText[files](sql, knownBefore(request, `.${files}`));

/** The columns of a version that applications poll. Its ETag ends with the address of the prompt. */
export function polledVersion(
  sql: Sql,
  request: Conditional & { address: Address; query: Wanted },
): Fragment {
  const { owner, slug } = request.address;
  const text = polledText(sql, knownBefore(request, `.${owner}/${slug}`));
  return request.query.at === undefined ? text : sql`${text} ${isAhead(sql, request.query)}`;
}

/** What a response about a prompt shows that can change without its revision, from `prompts p` and `users o`. */
const promptState = (sql: Sql, viewerId: Fragment): Fragment => sql`
  json_build_array(o.revision, ${viewerState(sql, { viewerId })})::text`;

/** The columns for a whole prompt: its state, and those of Timely. */
export const shownWhole = (sql: Sql, query: Wanted): Fragment => sql`
  , ${promptState(sql, sql`asking.caller ->> 'id'`)} as state ${isAhead(sql, query)}`;

/** A printed prompt. `fields` is its JSON object without the requested version. */
export interface ShownPrompt {
  fields: string;
  versionText: string | null;
}

/** Prints a prompt and a version of it. */
export async function selectPrompt(
  sql: Sql,
  {
    promptId,
    versionId,
    files,
    ...viewing
  }: {
    promptId: string;
    versionId: string | null;
    files: FileDetail;
  } & Viewing,
): Promise<ShownPrompt> {
  const [row] = await sql<ShownPrompt[]>`
    select (select row_to_json(prompt)::text from (select ${promptFields(sql, viewing)}) prompt) as fields,
      (select ${versionJson(sql, files)}::text from versions v where v.id = ${versionId}) as "versionText"
    from prompts p join users o on o.id = p.owner_id where p.id = ${promptId}`;
  if (row === undefined) throw new Error(`the prompt of this request is gone: ${promptId}`);
  return row;
}
