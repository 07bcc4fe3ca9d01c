import type { Fragment, Sql } from "../../database/sql.ts";
import type { Conditional } from "../../kernel/handler.ts";
import type { Loaded, LoadRequest } from "../../kernel/target.ts";
import { promptFields, viewerState, type Viewing } from "./summary.sql.ts";
import { type PromptRow, promptColumns } from "./target.ts";
import { type FileDetail, versionJson } from "./version.sql.ts";

/** Which version is asked for; with neither field, the latest. */
export interface Wanted {
  version?: number;
  label?: string;
  /** With a label: the version it pointed to at this time. */
  at?: string;
}

/** A prompt together with the version that was asked for; null where there is no such version. */
export interface ResolvedRow extends PromptRow {
  versionId: string | null;
  isYanked: boolean;
}

type Address = { owner: string; slug: string };

/** The number of the version that is wanted, of `prompts p`; null where there is none. */
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
 * Finds caller, prompt and version in one statement, the token's check included, and `columns` more beside them, which
 * find the caller as `asking.caller`.
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

/** Whether `at` has yet to come; there only when it was asked for. */
export interface Timely {
  isAhead?: boolean;
}

const isAhead = (sql: Sql, { at }: Wanted): Fragment =>
  sql`, ${at ?? null}::timestamptz > clock() as "isAhead"`;

/** A version as JSON; null where there is none, and where the caller holds it: then it is neither read nor printed. */
export interface VersionText {
  versionText: string | null;
}

/** What stands before an ending in the tags that a caller holds. */
export const knownBefore = ({ ifNoneMatch }: Conditional, ending: string): string[] =>
  ifNoneMatch
    .filter((tag) => tag.startsWith('"') && tag.endsWith(`${ending}"`))
    .map((tag) => tag.slice(1, -1 - ending.length));

/** What can never change of a version: it by itself. Its tag ends in what is shown of the files. */
export const pinnedVersion = (sql: Sql, request: Conditional, files: FileDetail): Fragment =>
  versionText(sql, files, { known: knownBefore(request, `.${files}`), head: () => sql`v.id` });

/** What applications poll for, under a tag that ends in the address at which they do. */
export function polledVersion(
  sql: Sql,
  request: Conditional & { address: Address; query: Wanted },
): Fragment {
  const { owner, slug } = request.address;
  const known = knownBefore(request, `.${owner}/${slug}`);
  const head = () => sql`v.id || case when v.yanked_at is not null then '.yanked' else '' end`;
  const text = versionText(sql, "full", { known, head });
  return request.query.at === undefined ? text : sql`${text} ${isAhead(sql, request.query)}`;
}

/** Statements are put together by each request, so that a fragment more is felt: there is one only where something is held. */
const versionText = (
  sql: Sql,
  files: FileDetail,
  { known, head }: { known: readonly string[]; head: () => Fragment },
): Fragment =>
  known.length === 0
    ? sql`, case when v.id is not null then ${versionJson(sql, files)}::text end as "versionText"`
    : sql`, case when ${head()} <> all (${[...known]}::text[]) then ${versionJson(sql, files)}::text end as "versionText"`;

/** What an answer about a prompt shows to a viewer beside what the prompt's revision tells, from `prompts p` and `users o`. */
const promptState = (sql: Sql, viewerId: Fragment): Fragment => sql`
  json_build_array(o.revision, ${viewerState(sql, viewerId)})::text`;

/** The columns of a prompt that is shown whole: its state, and Timely. */
export const shownWhole = (sql: Sql, query: Wanted): Fragment => sql`
  , ${promptState(sql, sql`asking.caller ->> 'id'`)} as state ${isAhead(sql, query)}`;

/** A prompt as it is shown: `fields` are the inside of a JSON object, without the version that was asked for. */
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
