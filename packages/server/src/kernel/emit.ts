import { type EventName, events } from "@promptreg/core";
import type { Sql } from "../database/sql.ts";
import type { Caller } from "./caller.ts";

/** What an event is about, and so who may hear of it. */
export interface EventSubject {
  prompt: { id: string; ownerId: string; ownerHandle: string; slug: string; visibility: string };
}

/** The address of a prompt for people; with a version's number, of that version. */
export const promptUrl = (
  publicUrl: string,
  { ownerHandle, slug }: { ownerHandle: string; slug: string },
  n?: number,
) => `${publicUrl}/${ownerHandle}/${slug}${n === undefined ? "" : `@${n}`}`;

/**
 * Writes an event to the outbox together with the job that fans it out: both stand or fall with the change.
 * Must run under the prompt's row lock, under which the time of its events rises strictly.
 */
export async function emit(
  sql: Sql,
  { publicUrl, caller }: { publicUrl: string; caller: Caller | null },
  name: EventName,
  { prompt }: EventSubject,
  data: object,
): Promise<void> {
  const text = JSON.stringify({
    prompt: {
      id: prompt.id,
      ref: `${prompt.ownerHandle}/${prompt.slug}`,
      url: promptUrl(publicUrl, prompt),
    },
    actor: caller && { id: caller.id, handle: caller.handle, url: `${publicUrl}/${caller.handle}` },
    ...data,
  });
  // A private prompt notifies its owner alone, and an unlisted one too: an event would publish its address.
  const watchLevels = prompt.visibility === "public" ? events[name].watchLevels : [];
  const { count } = await sql`
    with moment as (
      update prompts set last_event_at = greatest(clock(), last_event_at + interval '1 millisecond')
      where id = ${prompt.id}
      returning new_id('evt') as id, last_event_at as at
    ), written as (
      insert into events (day, id, name, prompt_id, account_ids, watch_levels, created_at, body)
      select (at at time zone 'UTC')::date, id, ${name}, ${prompt.id}, ${[prompt.ownerId]}, ${[...watchLevels]}, at,
        convert_to('{"id":"' || id || '","event":"' || ${name} || '","createdAt":"' || iso(at) || '","data":' || ${text}
          || '}', 'UTF8')
      from moment
      returning day, id
    )
    select graphile_worker.add_job('fan_out', json_build_object('day', day, 'eventId', id)) from written`;
  if (count !== 1) throw new Error(`an event about a prompt that is not there: ${prompt.id}`);
}

/**
 * Ends what others than its owner were still to be told about a prompt that turns private or is deleted, also for when it
 * turns public again, and has the worker give up what waits. Belongs into the transaction of that.
 */
export const withdraw = (sql: Sql, promptId: string) => sql`
  with withdrawn as (update prompts set withdrawn_at = clock() where id = ${promptId} returning id)
  select graphile_worker.add_job('withdraw', json_build_object('promptId', id), job_key := 'withdraw ' || id)
  from withdrawn`;

/** Writes an audit row beside the change it tells of. */
export async function audit(
  sql: Sql,
  { caller, requestId, ipHash }: { caller: Caller | null; requestId: string; ipHash: Buffer },
  { action, target, data }: { action: string; target: string; data: Record<string, unknown> },
): Promise<void> {
  await sql`
    insert into audit_log (actor_id, token_id, action, target, request_id, ip_hash, data)
    values (${caller?.id ?? null}, ${caller?.tokenId ?? null}, ${action}, ${target}, ${requestId},
      ${ipHash}, ${sql.json(data as never)})`;
}
