import { traceparent } from "../telemetry/tracing.ts";
import { type EventAbout, type EventName, events } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { afterCommit } from "../../database/transaction.ts";
import type { Caller } from "../accounts/caller.ts";
import { actingFor } from "../accounts/ownership.ts";
import { type Bus, workToDo } from "./bus.ts";
import { requestPurges } from "./purges.sql.ts";

/** The prompt of an event. */
export interface SubjectPrompt {
  id: string;
  ownerId: string;
  ownerHandle: string;
  slug: string;
  visibility: string;
}

/** What an event is about. It decides who may receive it. */
export interface EventSubject {
  /** Null if it is about what belongs to no prompt: then only those whom it names receive it. */
  prompt: SubjectPrompt | null;
  /** Who did it, if it was not the caller. */
  actor?: EventPerson;
}

/** An event's subject, and who receives it beside those whom its prompt and its name decide. */
export interface EmittedSubject extends EventSubject {
  /** Accounts that are notified of it in another way. */
  notifiedIds?: readonly string[];
  /** Accounts that receive it as the owner of the prompt does. */
  alsoTo?: readonly string[];
  /** It is about a thing that not everybody finds: watchers do not receive it. */
  isUnlisted?: boolean;
}

type EventPerson = Pick<Caller, "id" | "handle">;

/** The URL of a prompt, or of one of its versions, for people. */
export const promptUrl = (
  publicUrl: string,
  { ownerHandle, slug }: { ownerHandle: string; slug: string },
  n?: number,
) => `${publicUrl}/${ownerHandle}/${slug}${n === undefined ? "" : `@${n}`}`;

/** Who wrote an event or a notification, where its URLs begin, and who tells of it. */
export interface Writing {
  publicUrl: string;
  caller: EventPerson | null;
  bus: Pick<Bus, "announce">;
}

/** What all events and notifications have; the prompt is null where they are about what belongs to none. */
export interface About extends Omit<EventAbout, "prompt"> {
  prompt: EventAbout["prompt"] | null;
}

/** The prompt and the actor, as events and notifications name them. */
export const eventAbout = (
  { publicUrl, caller }: Omit<Writing, "bus">,
  { prompt, actor = caller ?? undefined }: EventSubject,
): About => ({
  prompt: prompt && {
    id: prompt.id,
    ref: `${prompt.ownerHandle}/${prompt.slug}`,
    url: promptUrl(publicUrl, prompt),
  },
  actor: actor ? { id: actor.id, handle: actor.handle, url: `${publicUrl}/${actor.handle}` } : null,
});

/**
 * Writes an event in the transaction of the change. After the commit a worker fans it out. Needs the prompt's row lock, if there is one: it
 * makes every event of a prompt later than the one before.
 */
export async function emit(
  sql: Sql,
  writing: Writing,
  name: EventName,
  { prompt, actor, notifiedIds = [], alsoTo = [], isUnlisted = false }: EmittedSubject,
  data: object,
): Promise<void> {
  const text = JSON.stringify({ ...eventAbout(writing, { prompt, ...(actor && { actor }) }), ...data });
  // A private prompt notifies only its owner. So does an unlisted one: an event would publish its address.
  const watchLevels = prompt?.visibility === "public" && !isUnlisted ? events[name].watchLevels : [];
  const receivers = [...(prompt ? [prompt.ownerId] : []), ...alsoTo]
    .map((id) => actingFor(sql, id))
    .reduce((some, more) => sql`${some} || ${more}`);
  const { count } = await sql`
    with moment as (${
      prompt
        ? sql`
      update prompts set last_event_at = greatest(clock(), last_event_at + interval '1 millisecond')
      where id = ${prompt.id}
      returning new_id('evt') as id, last_event_at as at`
        : sql`select new_id('evt') as id, clock() as at`
    })
    insert into events (day, id, name, prompt_id, account_ids, watch_levels, notified_ids, created_at, traceparent, body)
    select (at at time zone 'UTC')::date, id, ${name}, ${prompt?.id ?? null}, ${receivers}, ${[...watchLevels]},
      ${[...notifiedIds]}, at, ${traceparent()},
      convert_to('{"id":"' || id || '","event":"' || ${name} || '","createdAt":"' || iso(at) || '","data":' || ${text}
        || '}', 'UTF8')
    from moment`;
  if (count !== 1) throw new Error(`an event about a prompt that does not exist: ${prompt?.id}`);
  // Anybody can cause the others, and must not wake those who wait for versions.
  const thing = prompt && name.startsWith("prompt.") ? prompt : workToDo;
  afterCommit(sql, () => writing.bus.announce(thing));
}

/**
 * Cancels what others than the owner have not received yet, when a prompt turns private or is deleted. It stays cancelled
 * if the prompt turns public again. The worker cancels waiting deliveries, and has a CDN forget it. Call it in the transaction of that change.
 */
export async function withdraw(sql: Sql, { bus }: Pick<Writing, "bus">, promptId: string): Promise<void> {
  await sql`
    with withdrawn as (update prompts set withdrawn_at = clock() where id = ${promptId} returning id)
    insert into outbox (task, payload) select 'withdraw', json_build_object('promptId', id) from withdrawn`;
  await sql`${requestPurges(sql, sql`select ${promptId}::text`)}`;
  afterCommit(sql, () => bus.announce({ id: promptId }));
}

/** Writes an audit row, in the transaction of the change. */
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
