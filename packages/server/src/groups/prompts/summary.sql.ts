import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import { userRef } from "../users/index.ts";

/** To whom a prompt is shown, and where its addresses begin. */
export interface Viewing {
  caller: Pick<Caller, "id" | "role"> | null;
  publicUrl: string;
}

/** What every answer about a prompt says of it, as columns from `prompts p` joined with `users o`. */
export const promptFields = (sql: Sql, { caller, publicUrl }: Viewing): Fragment => sql`
  p.id, o.handle || '/' || p.slug as ref, ${publicUrl} || '/' || o.handle || '/' || p.slug as url,
  ${userRef(sql, publicUrl, sql`o.id`)} as owner, p.slug, p.kind, p.title, p.summary, p.tags, p.license,
  p.visibility, p.rating, p.status, p.latest_version as "latestVersion",
  coalesce((select json_object_agg(l.name, l.version_n order by l.name) from labels l where l.prompt_id = p.id), '{}')
    as labels,
  null as "forkedFrom",
  json_build_object('stars', 0, 'forks', 0, 'watchers', (
      select count(*) from watches w where w.prompt_id = p.id and w.level <> 'ignore'
    ), 'makes', 0, 'examples', 0, 'comments', 0, 'downloads', 0, 'installs', 0, 'openChangeRequests', 0) as counts,
  iso(p.created_at) as "createdAt", iso(p.updated_at) as "updatedAt", iso(p.published_at) as "publishedAt"
  ${caller === null ? sql`` : sql`, ${viewer(sql, caller)} as viewer`}`;

/** What `viewer` shows of an account that it can change about a prompt, from `prompts p`; ETags are made of it. */
export const viewerState = (sql: Sql, viewerId: Fragment): Fragment => sql`
  (select w.level from watches w where w.prompt_id = p.id and w.user_id = ${viewerId})`;

const viewer = (sql: Sql, { id, role }: Pick<Caller, "id" | "role">): Fragment => sql`json_build_object(
  'isOwner', p.owner_id = ${id}, 'starred', false,
  'watchLevel', coalesce(
    ${viewerState(sql, sql`${id}`)},
    case when p.owner_id = ${id} then 'all' end),
  'canEdit', p.owner_id = ${id} or ${role === "admin"}, 'canFork', p.status = 'published')`;

/** The JSON of a prompt as lists show it, from `prompts p` joined with `users o`. */
export const promptSummary = (sql: Sql, viewing: Viewing): Fragment => sql`
  (select row_to_json(printed) from (
    select ${promptFields(sql, viewing)}, (
      select json_build_object('n', v.n, 'contentHash', v.content_hash) from versions v
      where v.prompt_id = p.id and v.n = p.latest_version
    ) as latest
  ) printed)`;
