import { one } from "../../database/rows.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { asking } from "../../kernel/accounts/caller.ts";
import type { Conditional } from "../../kernel/handler.ts";
import type { Loaded, LoadRequest } from "../../kernel/target.ts";
import { promptFields, viewerState, type Viewing } from "./summary.sql.ts";
import { isAt, type PromptRow, promptColumns } from "./target.ts";
import { isKnownToCaller } from "./visibility.sql.ts";
import { type FileDetail, versionJson, versionTag } from "./version.sql.ts";

/** Which version is requested; without fields, the latest. */
export interface Wanted {
  version?: number;
  label?: string;
  /** With a label: the version it pointed to at this time. */
  at?: string;
}

/** A prompt and the requested version. `versionId` and `versionTag` are null if there is no such version. */
export interface ResolvedRow extends PromptRow {
  versionId: string | null;
  versionTag: string | null;
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
 * Finds caller, prompt and version in one statement, and further `columns`. In these the caller is `asking`.
 */
export async function loadResolved<Columns = {}>(
  sql: Sql,
  { address, caller }: Pick<LoadRequest<Address>, "address" | "caller">,
  wanted: Wanted,
  columns: Fragment = sql``,
): Promise<Loaded<ResolvedRow & Columns>> {
  const [row] = await sql<{ caller: Loaded<null>["caller"]; id: string | null }[]>`
    select asking.caller, found.*
    from ${asking(sql, { caller })} left join lateral (
      select ${promptColumns(sql)}, v.id as "versionId", ${versionTag(sql)} as "versionTag", v.yanked_at is not null as "isYanked" ${columns}
      from prompts p join users o on o.id = p.owner_id
        left join lateral (
          select * from versions where prompt_id = p.id and n = ${wantedNumber(sql, wanted)} offset 0
        ) v on true
      where ${isAt(sql, address)} and ${isKnownToCaller(sql)}
      offset 0
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

/** The caller's ETags with this ending, without the ending. */
export const knownBefore = ({ ifNoneMatch }: Conditional, ending: string): string[] =>
  ifNoneMatch
    .filter((etag) => etag.startsWith('"') && etag.endsWith(`${ending}"`))
    .map((etag) => etag.slice(1, -1 - ending.length));

/** What a response about a prompt shows that can change without its revision, from `prompts p` and `users o`. */
const promptState = (sql: Sql, viewerId: Fragment): Fragment => sql`
  json_build_array(o.revision, ${viewerState(sql, { viewerId })})::text`;

/** The columns for a whole prompt: its state, and those of Timely. */
export const shownWhole = (sql: Sql, query: Wanted): Fragment => sql`
  , ${promptState(sql, sql`asking.id`)} as state ${isAhead(sql, query)}`;

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
  return one(sql<ShownPrompt[]>`
    select (select row_to_json(prompt)::text from (select ${promptFields(sql, viewing)}) prompt) as fields,
      (select ${versionJson(sql, files)}::text from versions v where v.id = ${versionId}) as "versionText"
    from prompts p join users o on o.id = p.owner_id where p.id = ${promptId}`);
}
