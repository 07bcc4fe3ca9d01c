import type { Fragment, Sql } from "../../database/sql.ts";
import type { Loaded, LoadRequest } from "../../kernel/target.ts";
import { userRef } from "../users/index.ts";
import { type PromptRow, promptColumns } from "./target.ts";
import { type FileDetail, versionJson } from "./version.sql.ts";

/** Which version is asked for; with neither field, the latest. */
export interface Wanted {
  version?: number;
  label?: string;
}

/** A prompt together with the version that was asked for, printed as JSON; null where there is no such version. */
export interface ResolvedRow extends PromptRow {
  versionId: string | null;
  isYanked: boolean;
  versionText: string | null;
}

type Address = { owner: string; slug: string };

/** The number of the version that is wanted, of `prompts p`; null where there is none. */
export const wantedNumber = (sql: Sql, { version, label }: Wanted): Fragment =>
  version !== undefined
    ? sql`${version}::int`
    : label !== undefined && label !== "latest"
      ? sql`(select l.version_n from labels l where l.prompt_id = p.id and l.name = ${label})`
      : sql`p.latest_version`;

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
  { promptId, callerId, publicUrl }: { promptId: string; callerId: string | null; publicUrl: string },
): Promise<string> {
  const [row] = await sql<{ prompt: string }[]>`
    select row_to_json(prompt)::text as prompt from (
      select p.id, o.handle || '/' || p.slug as ref, ${publicUrl} || '/' || o.handle || '/' || p.slug as url,
        ${userRef(sql, publicUrl, sql`o.id`)} as owner, p.slug, p.kind, p.title, p.summary, p.tags, p.license,
        p.visibility, p.rating, p.status, p.latest_version as "latestVersion",
        coalesce((select json_object_agg(l.name, l.version_n order by l.name) from labels l where l.prompt_id = p.id),
          '{}') as labels,
        null as "forkedFrom",
        json_build_object('stars', 0, 'forks', 0, 'watchers', (
            select count(*) from watches w where w.prompt_id = p.id and w.level <> 'ignore'
          ), 'makes', 0, 'examples', 0, 'comments', 0, 'downloads', 0, 'installs', 0, 'openChangeRequests', 0) as counts,
        iso(p.created_at) as "createdAt", iso(p.updated_at) as "updatedAt", iso(p.published_at) as "publishedAt"
        ${callerId === null ? sql`` : sql`, ${viewer(sql, callerId)} as viewer`}
      from prompts p join users o on o.id = p.owner_id where p.id = ${promptId}
    ) prompt`;
  if (row === undefined) throw new Error(`the prompt of this request is gone: ${promptId}`);
  return row.prompt;
}

const viewer = (sql: Sql, callerId: string): Fragment => sql`json_build_object(
  'isOwner', p.owner_id = ${callerId}, 'starred', false,
  'watchLevel', coalesce(
    (select w.level from watches w where w.prompt_id = p.id and w.user_id = ${callerId}),
    case when p.owner_id = ${callerId} then 'all' end),
  'canEdit', p.owner_id = ${callerId}, 'canFork', p.status = 'published')`;
