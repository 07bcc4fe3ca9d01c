import { cleanUp, type ServerProcess, start } from "../process.ts";
import { compare } from "./compare.ts";
import type { Manner } from "./database.ts";
import { watchDisabling } from "./disabling.ts";
import { end } from "./end.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { type Freeze, freeze } from "./freeze.ts";
import { readLog } from "./log.ts";
import { compareMail, openMailbox } from "./mail.ts";
import { Receivers } from "./receivers.ts";
import { comeToRest } from "./rest.ts";
import { type Extent, type Scene, setScene } from "./scene.ts";
import { until } from "./until.ts";
import { writeAll } from "./writers.ts";

/** What came of it. */
export interface Verdict {
  problems: string[];
  figures: Figures;
}

/**
 * Kills workers at random points while events go to all kinds of receivers, takes the database away, freezes a worker,
 * and then compares what every receiver saw with what the log says.
 */
export async function proveCrash(extent: Extent): Promise<Verdict> {
  const startedAt = performance.now();
  const receivers = new Receivers();
  const mailbox = await openMailbox();
  try {
    const scene = await setScene(extent, { receivers, mailbox });
    const watch = watchDisabling(scene.database);
    const { freezes, problems } = await (extent.isLong ? takeTime : hurry)(scene, extent);
    problems.push(...(await end(scene.server, "the server")));
    const verdict = await judge(scene, { freezes, disabledAt: await watch.stop() });
    await scene.database.stop();
    verdict.figures["time"] = `${Math.round((performance.now() - startedAt) / 1_000)} s`;
    return { ...verdict, problems: [...problems, ...verdict.problems] };
  } finally {
    receivers.close();
    mailbox.close();
    await cleanUp();
  }
}

/** What the story of a proof leaves behind, besides what everybody wrote down. */
interface Story {
  freezes: Freeze[];
  problems: string[];
}

async function hurry(scene: Scene, extent: Extent): Promise<Story> {
  const freezes = [await freeze(scene, { isQuiet: true })];
  const written = write(scene, extent);
  await Promise.all([
    scene.storm.rage(extent.workers, extent.kills),
    restart(scene, "killed", extent.kills / 2),
  ]);
  return { freezes, problems: await settle(scene, extent, written) };
}

async function takeTime(scene: Scene, extent: Extent): Promise<Story> {
  const { storm } = scene;
  const { workers, kills } = extent;
  const written = write(scene, extent);
  await Promise.all([storm.rage(workers, kills / 2), restart(scene, "shut down", kills / 4)]);
  const freezes = [await freeze(scene, {})];
  await Promise.all([storm.rage(workers, kills), restart(scene, "killed", (kills * 3) / 4)]);
  const problems = await settle(scene, extent, written);
  freezes.push(await freeze(scene, { isPatient: true }));
  problems.push(...(await settle(scene, extent)));
  // Longer than the queue leaves a job to a worker that is not heard of any more.
  await scene.database.pass(5 * 3_600);
  problems.push(...(await settle(scene, extent, noJobIsHeld(scene))));
  return { freezes, problems };
}

/** Writes the events in step with the kills. */
const write = ({ storm, world, writer, draw }: Scene, { events, kills }: Extent) =>
  writeAll(writer, {
    slugs: world.slugs,
    events,
    allowed: () => (events * (storm.kills.length + 1)) / kills,
    draw,
  });

/** The queue looks for such jobs within a minute from the start of a worker. */
const noJobIsHeld = ({ database }: Scene) =>
  until("the end of every job", async () => {
    const held = await database.ask(
      (sql) => sql`select from graphile_worker.jobs where locked_at is not null`,
    );
    return held.count === 0;
  });

async function restart({ database, storm }: Scene, manner: Manner, kills: number): Promise<void> {
  await until("enough kills", () => storm.kills.length >= kills);
  await database.restart(manner);
}

/** Leaves workers alone until all is done, theirs and what others do. */
async function settle(
  { database, receivers, env }: Scene,
  { workers }: Extent,
  others?: Promise<void>,
): Promise<string[]> {
  const running = await Promise.all(
    Array.from({ length: workers }, (): Promise<ServerProcess> => start(["worker"], env)),
  );
  await others;
  await comeToRest(database, receivers);
  const problems: string[] = [];
  for (const worker of running) problems.push(...(await end(worker, "a worker at rest")));
  return problems;
}

async function judge(
  scene: Scene,
  { freezes, disabledAt }: { freezes: Freeze[]; disabledAt: Map<string, number> },
): Promise<Verdict> {
  const { database, world, receivers, writer, storm, mailbox } = scene;
  const log = await readLog(database);
  const evidence = { log, world, receivers, acknowledged: writer.acknowledged, disabledAt, freezes };
  const comparison = compare(evidence);
  const mail = await compareMail(database, world, mailbox);
  return {
    problems: [
      ...storm.problems,
      ...freezes.flatMap(({ problems }) => problems),
      ...comparison.problems,
      ...mail.problems,
    ],
    figures: figuresOf({
      ...evidence,
      ...comparison,
      storm,
      restarts: database.restarts,
      refused: writer.refused,
      disabling: mail.figure,
    }),
  };
}
