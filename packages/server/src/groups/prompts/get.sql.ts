import type { Fragment, Sql } from "../../database/sql.ts";
import type { Loaded, LoadRequest } from "../../kernel/target.ts";
import { promptFields, type Viewing } from "./summary.sql.ts";
import { type PromptRow, promptColumns } from "./target.ts";
import { type FileDetail, versionJson } from "./version.sql.ts";

/** Which version is asked for; with neither field, the latest. */
export interface Wanted {
  version?: number;
  label?: string;
  /** With a label: the version it pointed to at this time. */
  at?: string;
}

/** A prompt together with the version that was asked for, printed as JSON; null where there is no such version. */
export interface ResolvedRow extends PromptRow {
  versionId: string | null;
  isYanked: boolean;
  versionText: string | null;
  /** Whether `at` has yet to come; there only when it was asked for. */
  isAhead?: boolean;
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

const isAhead = (sql: Sql, { at }: Wanted): Fragment =>
  at === undefined ? sql`` : sql`, ${at}::timestamptz > clock() as "isAhead"`;

/** Finds caller, prompt and version in one statement, the token's check included. */
export async function loadResolved(
  sql: Sql,
  { address, caller }: Pick<LoadRequest<Address>, "address" | "caller">,
  { wanted, files = "full" }: { wanted: Wanted; files?: FileDetail },
): Promise<Loaded<ResolvedRow>> {
  const [row] = await sql<{ caller: Loaded<null>["caller"]; id: string | null }[]>`
    select ${caller} as caller, found.*
    from (select) as always left join lateral (
      select ${promptColumns(sql)}, v.id as "versionId", v.yanked_at is not null as "isYanked",
        case when v.id is not null then ${versionJson(sql, files)}::text end as "versionText"
        ${isAhead(sql, wanted)}
      from users o join prompts p on p.owner_id = o.id
        left join versions v on v.prompt_id = p.id and v.n = ${wantedNumber(sql, wanted)}
      where o.handle = ${address.owner} and p.slug = ${address.slug}
    ) found on true`;
  if (row === undefined || row.id === null) return { caller: row?.caller ?? null, target: null };
  return { caller: row.caller, target: row as unknown as ResolvedRow };
}

/** The fields of a prompt that do not depend on the version asked for, as the inside of a JSON object. */
export async function selectPrompt(
  sql: Sql,
  { promptId, ...viewing }: { promptId: string } & Viewing,
): Promise<string> {
  const [row] = await sql<{ prompt: string }[]>`
    select row_to_json(prompt)::text as prompt from (
      select ${promptFields(sql, viewing)}
      from prompts p join users o on o.id = p.owner_id where p.id = ${promptId}
    ) prompt`;
  if (row === undefined) throw new Error(`the prompt of this request is gone: ${promptId}`);
  return row.prompt;
}
