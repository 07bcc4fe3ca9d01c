// Kills workers with SIGKILL at random points while events go to all kinds of receivers, takes PostgreSQL away in the
// middle and freezes a worker beyond its lease; then nothing may be lost, and nothing counted twice. Once with one worker
// and once with two: KILLS and EVENTS each time, from a SEED of which the figures tell.
import { cleanUp } from "../../packages/server/test/process.ts";
import { proveCrash } from "../../packages/server/test/crash/crash.ts";
import { isShort } from "../../scripts/short.ts";

const usual = isShort
  ? { kills: 2, events: 50, workers: "1" }
  : { kills: 200, events: 5_000, workers: "1,2" };
const { KILLS = usual.kills, EVENTS = usual.events, SEED = Date.now() % 1_000_000 } = process.env;
const { WORKERS = usual.workers } = process.env;
const extent = { kills: Number(KILLS), events: Number(EVENTS), seed: Number(SEED), isLong: !isShort };
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    // Whatever fails now fails because we are taking it away.
    process.on("uncaughtException", () => {});
    void cleanUp().finally(() => process.exit(130));
  });
}

for (const workers of WORKERS.split(",").map(Number)) {
  console.log(`\n${workers === 1 ? "one worker" : `${workers} workers`}, seed ${extent.seed}`);
  const { problems, figures } = await proveCrash({ ...extent, workers });
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name.padEnd(34)} ${value}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ✗ ${problem}`);
  if (problems.length > 20) console.log(`  ✗ and ${problems.length - 20} more`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log("  ✓ nothing was lost, and nothing counted twice");
}
