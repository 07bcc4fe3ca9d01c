// A million prompts with three million versions: lists far in, labels, searches and the hourly ranking take about as long
// as they must. `--keep=<folder>` keeps what was loaded for the next run, `--prompts=<number>` makes another number,
// `--only=<labels, lists, searches or ranking>` leaves the rest out, `--rounds=<number>` measures more or less often.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSide } from "../../packages/server/bench/side.ts";
import { parseDatabaseUrl } from "../../packages/server/src/database/connection.ts";
import { startEmbedded } from "../../packages/server/src/database/embedded.ts";
import { connect } from "../../packages/server/src/database/open.ts";
import { openSecretBox } from "../../packages/server/src/kernel/secrets/secret-box.ts";
import { createMigrated, dropDatabase } from "../../packages/server/src/testing/databases.sql.ts";
import { openPlans } from "../../packages/server/test/plans.ts";
import { openClient } from "../../packages/server/test/scale/client.ts";
import { loadRegistry } from "../../packages/server/test/scale/load.ts";
import type { Figure } from "../../packages/server/test/scale/measure.ts";
import { proveScale } from "../../packages/server/test/scale/scale.ts";
import { huge } from "../../packages/server/test/seed/registry.ts";
import { isShort } from "../../scripts/short.ts";

const { values: given } = parseArgs({
  options: {
    keep: { type: "string" },
    prompts: { type: "string", default: String(isShort ? 10_000 : huge.prompts) },
    rounds: { type: "string", default: isShort ? "1" : "25" },
    only: { type: "string", default: "" },
  },
});
const prompts = Number(given.prompts);
const folder = given.keep ?? (await mkdtemp(join(tmpdir(), "promptreg-scale-")));
const ends: (() => unknown)[] = [];
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    // Whatever fails now fails because we are taking it away.
    process.on("uncaughtException", () => {});
    void cleanUp().finally(() => process.exit(130));
  });
}
try {
  await load();
  await prove();
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
  if (given.keep === undefined) await rm(folder, { recursive: true, force: true });
}

/** On a PostgreSQL that does not wait for the disk. */
async function load(): Promise<void> {
  const database = await startEmbedded(folder, { isThrowaway: true });
  ends.push(() => database.stop());
  await loadRegistry(parseDatabaseUrl(database.url), prompts, (what, seconds) =>
    console.log(`  ${what.padEnd(60)} ${seconds.toFixed(1).padStart(7)} s`),
  );
  await ends.pop()?.();
}

/** On one with the settings that we ship. */
async function prove(): Promise<void> {
  const database = await startEmbedded(folder);
  ends.push(() => database.stop());
  const address = parseDatabaseUrl(database.url);
  const empty = { ...address, database: "scale_empty" };
  await dropDatabase(address, empty);
  await createMigrated(address, empty.database);
  const full = await open(`scale_${prompts}`);
  const plans = await openPlans(full);
  ends.push(() => plans.close());
  const { problems, slow } = await proveScale(
    {
      full,
      plans,
      empty: await open(empty.database),
      // That of the servers of benchmarks.
      secrets: openSecretBox("bench"),
      rounds: Number(given.rounds),
      onFigure: print,
    },
    given.only,
  );
  if (!isShort) for (const figure of slow) problems.push(`${figure.name} is over its limit.`);
  for (const problem of problems) console.log(`  ✗ ${problem}`);
  if (problems.length > 0) process.exitCode = 1;

  /** A server in a process of its own, on a database. */
  async function open(name: string) {
    const url = new URL(`/${name}`, database.url).href;
    const { child, port } = await startSide("ours", { url, token: "" });
    const sql = connect(parseDatabaseUrl(url));
    const client = await openClient(`http://127.0.0.1:${port}`);
    ends.push(() => {
      client.close();
      child.kill("SIGKILL");
      return sql.end();
    });
    return { url, sql, client };
  }
}

function print(figure: Figure): void {
  const [base, ours] = [figure.base, figure.ours].map((ms) => `${ms.toFixed(2).padStart(8)} ms`);
  const ratio = `${figure.ratio.toFixed(2)} (limit ${figure.limit})`;
  console.log(`  ${figure.name.padEnd(60)} ${base} ${ours}  ratio ${ratio}`);
}
