/** A process that sends what is pending, so many at once, and records results so many at a time; nothing else. */
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { connect } from "../../src/database/open.ts";
import { type Answer, hangUp, type Signed, sendSigned } from "./signed.ts";

/** What the parent asks for. */
export interface LoopOptions {
  inFlight: number;
  batch: number;
}

type Pending = Signed & { day: string };
type Result = Answer & Pick<Pending, "day" | "id">;

const sql = connect(parseDatabaseUrl(process.env["BENCH_DATABASE"] ?? ""));

process.on("message", (message: LoopOptions | "go") => {
  if (message === "go") void send();
  else void read(message);
});
process.send?.("ready");

let work: { pending: Pending[] } & LoopOptions;

/** All of it before the time is taken: what a loop that is given its work has at hand. */
async function read(options: LoopOptions): Promise<void> {
  // In the order of their ids, which mixes the webhooks.
  const pending = await sql<Pending[]>`
    select d.day::text, d.id, d.event, w.url, e.body
    from deliveries d join webhooks w on w.id = d.webhook_id join events e on e.day = d.event_day and e.id = d.event_id
    where d.status = 'pending' order by d.id`;
  work = { pending: [...pending], ...options };
  process.send?.("read");
}

/** While a batch is recorded, the requests that are under way go on, and all but one of the places are free for more. */
async function send(): Promise<void> {
  const { pending, inFlight, batch } = work;
  let results: Result[] = [];
  const flush = async () => {
    const full = results;
    results = [];
    if (full.length > 0) await record(full);
  };
  let next = 0;
  const place = async () => {
    for (;;) {
      const one = pending[next++];
      if (one === undefined) return;
      const answer = await sendSigned(one);
      results.push({ day: one.day, id: one.id, ...answer });
      if (results.length >= batch) await flush();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, place));
  await flush();
  hangUp();
  process.send?.("done");
}

/** From arrays, which are believed to be short: each row is then found by its key, however many there are. */
const record = (results: Result[]) => sql`
  update deliveries d set status = 'succeeded', attempts = attempts + 1, next_attempt_at = null,
    completed_at = clock(), response_status = r.status, response_time_ms = r.ms, response_excerpt = decode(r.excerpt, 'hex'),
    error = null,
    attempt_log = attempt_log || jsonb_build_object('at', iso(clock()), 'responseStatus', r.status,
      'responseTimeMs', r.ms, 'error', null)
  from unnest(${results.map(({ day }) => day)}::date[], ${results.map(({ id }) => id)}::text[],
    ${results.map(({ status }) => status)}::int[], ${results.map(({ ms }) => ms)}::int[],
    ${results.map(({ excerpt }) => excerpt.toString("hex"))}::text[]) as r (day, id, status, ms, excerpt)
  where d.day = r.day and d.id = r.id`;
