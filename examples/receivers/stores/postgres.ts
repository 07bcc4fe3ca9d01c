// Keeps what became of each event in PostgreSQL, over a pool or a client of `pg`, in one of two ways.
//
//   await once(event, inTransaction(client), () => apply(client, event)); // between its begin and its commit
//   await once(event, inTable(pool), apply);
//
//   create table handled_events (id text primary key, mark text not null, until timestamptz not null);
//   delete from handled_events where until < now(); -- now and then
import type { EventStore } from "@promptreg/core/webhooks";

/** With postgres.js: `{ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) }`. */
export interface Queries {
  query(text: string, values: string[]): PromiseLike<{ rows: { mark?: string }[] }>;
}

/**
 * For what is done in this database: over the client whose transaction it is done in. Both commit together, so it is
 * done once and never lost; whoever brings the event at the same time waits.
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
  end() {}, // the transaction's own end says it
});

/** For what is done elsewhere, over a pool: what a crash left undone comes again, and may be done twice. */
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
    // Where the mark was taken away just now, it comes again as well.
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
