import { setTimeout as delay } from "node:timers/promises";
import type { ProofDatabase } from "./database.ts";
import type { Receivers } from "./receivers.ts";
import { longerThanLeaseSeconds } from "./storm.ts";
import { trace } from "./until.ts";

/** What is held by somebody who was killed moves when its lease runs out; this long without a sign it counts as held. */
const stillMs = 1_500;
/** After so many leases in a row without a sign, what waits was lost. */
const passesInVain = 40;

/** Lets time pass, as fast as there is nothing to do in it, until nothing waits any more. */
export async function comeToRest(database: ProofDatabase, receivers: Receivers): Promise<void> {
  let seen = "";
  let stillSince = performance.now();
  let passes = 0;
  for (;;) {
    const state = await lookAt(database);
    if (state.pending + state.waiting + state.jobs === 0 && !receivers.isBusy()) return;
    // Jobs come and go with every sweep: they are no sign.
    const now = `${state.pending} ${state.due} ${state.waiting} ${receivers.arrivals.length}`;
    if (now !== seen || receivers.isBusy()) stillSince = performance.now();
    if (now !== seen) {
      passes = 0;
      trace("%j, %d arrivals", state, receivers.arrivals.length);
    }
    seen = now;
    if (state.waiting + state.due === 0 && state.pending > 0) await database.pass(state.nextInSeconds + 1);
    else if (performance.now() - stillSince > stillMs) {
      if (++passes > passesInVain) throw new Error(`it does not come to rest: ${JSON.stringify(state)}`);
      await database.pass(longerThanLeaseSeconds);
      stillSince = performance.now();
    }
    await delay(50);
  }
}

interface State {
  /** Deliveries that are not over, and those of them whose time has come. */
  pending: number;
  due: number;
  nextInSeconds: number;
  /** Events whose deliveries are not written yet. */
  waiting: number;
  /** Jobs whose time has come, and that nobody has taken. */
  jobs: number;
}

const lookAt = (database: ProofDatabase): Promise<State> =>
  database.ask(async (sql) => {
    const [row] = await sql<State[]>`
      select count(*)::int as pending, count(*) filter (where next_attempt_at <= clock())::int as due,
        greatest(0, coalesce(extract(epoch from min(next_attempt_at) - clock()), 0))::float8 as "nextInSeconds",
        (select count(*)::int from events where fanned_out_at is null) as waiting,
        (select count(*)::int from graphile_worker.jobs
          where locked_at is null and run_at <= clock_timestamp() and attempts < max_attempts) as jobs
      from deliveries where status = 'pending'`;
    return row as State;
  });
