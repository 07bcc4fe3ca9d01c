import { start } from "../process.ts";
import type { ProofDatabase } from "./database.ts";
import { end } from "./end.ts";
import type { Arrival } from "./receivers.ts";
import type { Scene } from "./scene.ts";
import { longerThanLeaseSeconds } from "./storm.ts";
import { until } from "./until.ts";

/** A time during which a worker stood still. */
export interface Freeze {
  from: number;
  to: number;
  /** From its freezing to the first request of the one that took over. */
  takeOverMs: number;
  problems: string[];
}

/** What is special about a freeze. */
interface Manner {
  /** The worker is in no transaction: one would hold up others for half a minute, until PostgreSQL ends it. */
  isQuiet?: boolean;
  /** The lease runs out by itself; otherwise the clock is put forward. */
  isPatient?: boolean;
}

/** Few enough that the gate is not disabled, also when each is tried twice meanwhile. */
const moves = 4;

/**
 * Freezes a worker in the middle of sending until another one has taken over what it was sending, and wakes it. Its
 * requests have been answered meanwhile, with a success or a failure; neither may count.
 */
export async function freeze(scene: Scene, { isQuiet, isPatient }: Manner): Promise<Freeze> {
  const { database, env, world, receivers, writer } = scene;
  const { gate } = world;
  const atGate = () => receivers.arrivals.filter(({ webhookId }) => webhookId === gate.webhookId);
  const answer = gate.close();
  const before = await countAtGate(database, gate.webhookId);
  const frozen = await start(["worker"], env);
  for (let i = 0; i < moves; i++) await writer.move(gate.slug);
  await until("a request at the gate", () => atGate().some(isWaiting));
  if (isQuiet) await until("a quiet moment", () => isIdle(database));
  frozen.child.kill("SIGSTOP");
  const from = performance.now();
  answer();
  await until("answers to what it sent", () => !atGate().some(isWaiting));

  const later = performance.now();
  const failedSince = () => atGate().filter(({ at }) => at > later).length;
  const next = await start(["worker"], env);
  // A new event is enough to look at the webhook when its lease has run out.
  if (isPatient) await writer.move(gate.slug);
  else await database.pass(longerThanLeaseSeconds);
  await until("another worker to take over", async () => {
    const { tried } = await countAtGate(database, gate.webhookId);
    return tried - before.tried >= moves;
  });
  frozen.child.kill("SIGCONT");
  const to = performance.now();
  // Whoever ends has tried to record everything before.
  const problems = [...(await end(frozen, "the frozen worker")), ...(await end(next, "who took over"))];

  const after = await countAtGate(database, gate.webhookId);
  const attempts = after.attempts - before.attempts;
  const failures = after.failures - before.failures;
  const told = `${failedSince()} attempts failed at the gate while a worker was frozen; ${attempts} were recorded, ${failures} counted`;
  if (attempts > failedSince() || failures !== attempts) problems.push(told);
  gate.answers = 200;
  const takeOverMs = (atGate().find(({ at }) => at > later)?.at ?? from) - from;
  return { from, to, takeOverMs, problems };
}

const isWaiting = ({ status }: Arrival) => status === undefined;

/** Whether nobody is in the middle of a transaction, the asker left out. */
const isIdle = (database: ProofDatabase) =>
  database.ask(async (sql) => {
    const busy = await sql`
      select from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
    return busy.count === 0;
  });

const countAtGate = (database: ProofDatabase, webhookId: string) =>
  database.ask(async (sql) => {
    const [row] = await sql<{ failures: number; attempts: number; tried: number }[]>`
      select consecutive_failures as failures, coalesce(sum(attempts), 0)::int as attempts,
        count(d.id) filter (where attempts > 0)::int as tried
      from webhooks w left join deliveries d on d.webhook_id = w.id where w.id = ${webhookId}
      group by w.id`;
    if (row === undefined) throw new Error("there is no gate");
    return row;
  });
