import { start } from "../process.ts";
import type { ProofDatabase } from "./database.ts";
import { end } from "./end.ts";
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

const moves = 5;

/**
 * Freezes a worker in the middle of sending until another one has taken over what it was sending, and wakes it. Its
 * requests have been answered meanwhile, in both ways; neither may count. With `isPatient` its lease runs out by
 * itself; else the clock is put forward.
 */
export async function freeze(scene: Scene, { isPatient }: { isPatient: boolean }): Promise<Freeze> {
  const { database, env, world, receivers, writer } = scene;
  const { gate } = world;
  const counted = () => countAtGate(database, gate.webhookId);
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  gate.answers = promise;
  gate.held = 0;
  const before = await counted();
  const frozen = await start(["worker"], env);
  for (let i = 0; i < moves; i++) await writer.move(gate.slug);
  await until("a request at the gate", () => gate.held > 0);
  frozen.child.kill("SIGSTOP");
  const from = performance.now();
  const atGate = () => receivers.arrivals.filter(({ webhookId }) => webhookId === gate.webhookId);
  gate.answers = 500;
  letGo();
  await until("an answer to what it sent", () => atGate().every(({ status }) => status !== undefined));

  const later = performance.now();
  const failedSince = () => atGate().filter(({ at }) => at > later).length;
  const next = await start(["worker"], env);
  if (isPatient) await writer.move(gate.slug);
  else await database.pass(longerThanLeaseSeconds);
  await until("another worker takes over", async () => {
    const attempts = (await counted()).attempts - before.attempts;
    return attempts >= moves && attempts === failedSince();
  });
  frozen.child.kill("SIGCONT");
  const to = performance.now();
  // Which waits until they have tried to record everything.
  const problems = [...(await end(frozen, "the frozen worker")), ...(await end(next, "who took over"))];

  const after = await counted();
  const attempts = after.attempts - before.attempts;
  const failures = after.failures - before.failures;
  if (attempts > failedSince()) {
    problems.push(
      `${attempts} attempts were recorded at the gate, of ${failedSince()} that were made in time`,
    );
  }
  if (failures !== attempts) {
    problems.push(
      `${attempts} attempts failed at the gate while a worker was frozen, and ${failures} were counted`,
    );
  }
  gate.answers = 200;
  const first = atGate().find(({ at }) => at > later);
  return { from, to, takeOverMs: (first?.at ?? from) - from, problems };
}

const countAtGate = (database: ProofDatabase, webhookId: string) =>
  database.ask(async (sql) => {
    const [row] = await sql<{ attempts: number; failures: number }[]>`
      select consecutive_failures as failures, (
        select coalesce(sum(attempts), 0)::int from deliveries where webhook_id = w.id) as attempts
      from webhooks w where id = ${webhookId}`;
    if (row === undefined) throw new Error("there is no gate");
    return row;
  });
