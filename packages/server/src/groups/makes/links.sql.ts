import { one } from "../../database/rows.ts";
import type { LinkPrompt, LinkStatus } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { isListed, promptById, type PromptRow, promptColumns, promptsAt } from "../prompts/index.ts";
import { isLinkShown, type Looking } from "./shown.sql.ts";
import type { MakeRow } from "./target.ts";

/** A link to write. */
export interface NewLink extends Pick<LinkPrompt, "note"> {
  makeId: string;
  prompt: Pick<PromptRow, "id" | "ownerId">;
  versionNumber: number;
  /** Who decides at once, since the prompt is theirs; null if it waits. */
  approvedBy: string | null;
}

/** Writes a link, and gives its id; null if there is one. One that was removed comes back, and
 * stays rejected if it was, and approved for the version that it was approved for. */
export async function insertLink(
  sql: Sql,
  { makeId, prompt, versionNumber, note = null, approvedBy }: NewLink,
): Promise<string | null> {
  const status: LinkStatus = approvedBy === null ? "pending" : "approved";
  const stays = sql`(l.status = 'rejected' or l.status = 'approved' and l.version_n = excluded.version_n)`;
  const [row] = await sql<{ id: string }[]>`
    insert into make_links as l (make_id, prompt_id, owner_id, version_n, note, status, decided_by, decided_at)
    values (${makeId}, ${prompt.id}, ${prompt.ownerId}, ${versionNumber}, ${note}, ${status}, ${approvedBy},
      ${approvedBy === null ? null : sql`clock()`})
    on conflict (make_id, prompt_id) do update set version_n = excluded.version_n, note = excluded.note, removed_at = null,
      status = case when ${stays} then l.status else excluded.status end,
      decided_by = case when ${stays} then l.decided_by else excluded.decided_by end,
      decided_at = case when ${stays} then l.decided_at else excluded.decided_at end,
      revision = l.revision + 1
    where l.removed_at is not null
    returning id`;
  return row?.id ?? null;
}

/** How many links a make has, with those that its maker cannot see any more. */
export async function countLinks(sql: Sql, makeId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from make_links where make_id = ${makeId} and removed_at is null`);
  return count;
}

/** Removes a link. `rejectedBy`: it was the owner of the prompt, who does not want it. */
export const removeLink = (sql: Sql, { id, rejectedBy }: { id: string; rejectedBy: string | null }) => sql`
  update make_links set removed_at = clock(), pinned_at = null, revision = revision + 1
    ${rejectedBy === null ? sql`` : sql`, status = 'rejected', decided_by = ${rejectedBy}, decided_at = clock()`}
  where id = ${id}`;

/** Sets the status of a link. One that is not approved is not pinned. */
export const decideLink = (
  sql: Sql,
  { id, status, reason = null, by }: { id: string; status: LinkStatus; reason?: string | null; by: string },
) => sql`
  update make_links set status = ${status}, reason = ${reason}, decided_by = ${by}, decided_at = clock(),
    pinned_at = case when ${status} = 'approved' then pinned_at end, revision = revision + 1
  where id = ${id}`;

export const pinLink = (sql: Sql, { id, isPinned }: { id: string; isPinned: boolean }) => sql`
  update make_links set pinned_at = ${isPinned ? sql`clock()` : null}, revision = revision + 1 where id = ${id}`;

/** How many makes are pinned on the gallery of a prompt. Needs the prompt's lock. */
export async function countPins(sql: Sql, promptId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from make_links where prompt_id = ${promptId} and pinned_at is not null`);
  return count;
}

/**
 * Lets the links of a make follow it and their own status: whether they are in an inbox, whether everybody finds them in a gallery, and
 * the count of the prompt's makes. What nobody finds is not pinned: it would take the place of another. Needs the lock of the make.
 */
export const settleLinks = (sql: Sql, makeId: string) => sql`
  with wanted as (
    select l.id, l.is_shown as was, live, live and k.visibility = 'public' and l.status = 'approved' as shown
    from make_links l join makes k on k.id = l.make_id
      cross join lateral (select k.status = 'published' and k.deleted_at is null and l.removed_at is null) link (live)
    where l.make_id = ${makeId}
  ), changed as (
    update make_links l set is_live = w.live, is_shown = w.shown, pinned_at = case when w.shown then l.pinned_at end
    from wanted w where l.id = w.id and (l.is_live, l.is_shown) is distinct from (w.live, w.shown)
    returning l.prompt_id, l.is_shown::int - w.was::int as delta
  )
  insert into counter_changes (subject_id, name, delta) select prompt_id, 'makes', delta from changed where delta <> 0`;

/** A link that has an event to tell of. */
export interface DueLink {
  id: string;
  versionNumber: number;
  status: LinkStatus;
  isNew: boolean;
  prompt: PromptRow;
}

/** Takes the events of the links of a make: of each only once, and none before the make is published. In the order of locks. */
export const takeDue = (sql: Sql, { id }: Pick<MakeRow, "id">) => sql<DueLink[]>`
  with due as (
    select l.id, l.linked_event_at is null as "isNew" from make_links l
    where l.make_id = ${id} and l.is_live
      and (l.linked_event_at is null or l.status = 'approved' and l.approved_event_at is null)
  ), noted as (
    update make_links l set linked_event_at = coalesce(l.linked_event_at, clock()),
      approved_event_at = case when l.status = 'approved' then coalesce(l.approved_event_at, clock()) else l.approved_event_at end
    from due where l.id = due.id
    returning l.id, l.prompt_id, l.version_n, l.status, due."isNew"
  )
  select l.id, l.version_n as "versionNumber", l.status, l."isNew",
    (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt
  from noted l join prompts p on p.id = l.prompt_id join users o on o.id = p.owner_id
  where p.deleted_at is null order by p.id for no key update of p`;

/** A prompt by its id and its present address. */
export interface AddressedPrompt {
  id: string;
  owner: string;
  slug: string;
}

/** The prompt that has or had an address; null if there is none. */
export async function selectPresent(sql: Sql, address: PromptAddress): Promise<AddressedPrompt | null> {
  const [row] = await sql<AddressedPrompt[]>`
    select p.id, o.handle as owner, p.slug
    from ${promptsAt(sql, address)} there join prompts p on p.id = there.id join users o on o.id = p.owner_id`;
  return row ?? null;
}

/** What the links of a make that somebody is shown lead to. */
export const selectShownLinks = (sql: Sql, makeId: string, looking: Looking) => sql<
  (AddressedPrompt & { versionNumber: number; note: string | null })[]
>`
  select p.id, o.handle as owner, p.slug, l.version_n as "versionNumber", l.note
  from makes k join make_links l on l.make_id = k.id
    cross join lateral ${promptById(sql, sql`l.prompt_id`)} p join users o on o.id = p.owner_id
  where k.id = ${makeId} and ${isLinkShown(sql, looking)} order by l.seq`;

/** The first public prompt that a make was made with, locked; null if there is none. */
export async function selectMadeWith(sql: Sql, { id }: Pick<MakeRow, "id">): Promise<PromptRow | null> {
  const [row] = await sql<PromptRow[]>`
    select ${promptColumns(sql)} from prompts p join users o on o.id = p.owner_id
    where p.id = (
      select l.prompt_id from (select * from make_links where make_id = ${id} offset 0) l
        cross join lateral ${promptById(sql, sql`l.prompt_id`)} p
      where l.is_live and l.status = 'approved' and ${isListed(sql)} order by l.seq limit 1
    ) and ${isListed(sql)} for no key update of p`;
  return row ?? null;
}
