import { randomBytes } from "node:crypto";
import type { DatabaseAddress } from "../../database/connection.ts";
import { type ChannelListener, listen } from "../../database/listen.ts";
import type { Sql } from "../../database/sql.ts";

/**
 * The ids of what changed, and `of:` with the id of the account that it belongs to. Null: anything may have changed, because not
 * all could be named, or messages may be lost.
 */
export type Changed = ReadonlySet<string> | null;

/** A thing that changed, such as a prompt or an account, and whose it is. */
export interface ChangedThing {
  id: string;
  ownerId?: string;
}

/** What workers have to do: events, and what the outbox has. Announced where nothing changed that anybody else waits for. */
export const workToDo: ChangedThing = { id: "work" };

/** What is announced when something of an account changes. */
export const ofAccount = (id: string) => `of:${id}`;

/** Tells all processes what was committed, so that they need not ask. A message can be lost: who must not miss one asks too. */
export interface Bus {
  /** Announces a committed change of a thing, or of what belongs to it: here at once, elsewhere within milliseconds. */
  announce(thing: ChangedThing): void;
  /** Calls `hear` for each announcement in any process, until the function that it returns is called. */
  subscribe(hear: (changed: Changed) => void): () => void;
  /** Sends what waits, and listens no more. */
  stop(): Promise<void>;
}

/** A process sends at most one message in this time: transactions that notify commit one after the other. */
const gapMs = 5;
/** How long what could not be sent waits. */
const retryMs = 1_000;
/** The bytes of a message, of which PostgreSQL takes 7,999. */
const payloadBytes = 7_900;
const any = "*";

/** Announces the change of a thing for a process without a bus: once the transaction is committed. */
export async function announceIn(sql: Sql, { id }: Pick<ChangedThing, "id">): Promise<void> {
  await sql`select pg_notify(current_schema(), ${`- ${id}`})`;
}

/** The bus of a process, over NOTIFY and LISTEN. It takes a connection of its own once somebody subscribes. */
export function openBus({
  sql,
  address,
  onLost,
}: Pick<ChannelListener, "onLost"> & { sql: Sql; address: DatabaseAddress }): Bus {
  /** So that a process knows its own messages, which its subscribers have heard. */
  const origin = randomBytes(6).toString("base64url");
  const subscribers = new Set<(changed: Changed) => void>();
  let waiting = new Set<string>();
  let sending: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let listening: ReturnType<typeof listen> | undefined;
  let isStopped = false;

  return {
    announce({ id, ownerId }) {
      const names = ownerId ? [id, ofAccount(ownerId)] : [id];
      for (const name of names) waiting.add(name);
      tell(new Set(names));
      if (timer === undefined) void send();
    },
    subscribe(hear) {
      subscribers.add(hear);
      listening ??= listen(address, address.schema, { onMessage, onOpen: () => tell(null), onLost });
      return () => void subscribers.delete(hear);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await sending;
      await send();
      await listening?.stop();
    },
  };

  function tell(changed: Changed): void {
    for (const hear of subscribers) hear(changed);
  }

  function onMessage(payload: string): void {
    const [from, ...ids] = payload.split(" ");
    if (from !== origin) tell(ids[0] === any ? null : new Set(ids));
  }

  /** One message at a time, which names all that wait. */
  function send(): Promise<void> {
    sending ??= write().finally(() => (sending = null));
    return sending;
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return;
    const names = waiting;
    waiting = new Set();
    const named = [...names].join(" ");
    const ids = origin.length + 1 + named.length > payloadBytes ? any : named;
    let pauseMs = gapMs;
    try {
      // Nothing is kept, so that the commit need not wait for the disk, and those behind it neither.
      await sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(current_schema(), ${`${origin} ${ids}`})`;
    } catch {
      // The database is away, which others report.
      pauseMs = retryMs;
      for (const id of names) waiting.add(id);
    }
    if (isStopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      void send();
    }, pauseMs).unref();
  }
}
