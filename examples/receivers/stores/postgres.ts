// Two stores for `once` on PostgreSQL, with a client or a pool of `pg`.
//
//   await once(event, inTransaction(client), () => apply(client, event)); // between begin and commit
//   await once(event, inTable(pool), apply);
//
//   create table handled_events (id text primary key, mark text not null, until timestamptz not null);
//   delete from handled_events where until < now(); -- from time to time
import type { EventStore } from "@promptreg/core/webhooks";

/** With postgres.js: `{ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) }`. */
export interface Queries {
  query(text: string, values: string[]): PromiseLike<{ rows: { mark?: string }[] }>;
}

/**
 * For work in this database. Pass the client whose transaction does the work: the mark and the work commit together, so
 * an event is handled exactly once. A duplicate that arrives meanwhile waits.
 */
export const inTransaction = (client: Queries): EventStore => ({
  async begin(id) {
    const { rows } = await client.query(
      `insert into handled_events values ($1, 'handled', now() + interval '60 days')
       on conflict do nothing returning mark`,
      [id],
    );
    return rows.length === 1 ? null : "handled";
  },
  end() {}, // the transaction decides
});

/** For work elsewhere, with a pool. After a crash an event comes again, and may be handled twice. */
export const inTable = (pool: Queries): EventStore => ({
  async begin(id, seconds) {
    const { rows: begun } = await pool.query(
      `insert into handled_events as kept values ($1, 'begun', now() + $2::interval)
       on conflict (id) do update set mark = excluded.mark, until = excluded.until where kept.until <= now()
       returning mark`,
      [id, `${seconds} seconds`],
    );
    if (begun.length === 1) return null;
    const { rows } = await pool.query("select mark from handled_events where id = $1", [id]);
    // If the mark was removed just now, the event comes again too.
    return rows[0]?.mark ?? "begun";
  },
  async end(id, isHandled) {
    if (!isHandled) await pool.query("delete from handled_events where id = $1 and mark = 'begun'", [id]);
    else {
      await pool.query(
        `insert into handled_events values ($1, 'handled', now() + interval '60 days')
         on conflict (id) do update set mark = excluded.mark, until = excluded.until`,
        [id],
      );
    }
  },
});
