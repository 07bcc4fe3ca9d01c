/**
 * Lists and searches without a token, with a replica and without one, in turns. Where `taskset` is there, the primary and the replica have a
 * core each. The rest, which is this load and the server, shares both: so the primary's own time is printed beside the rate.
 * `npm run bench -- replicas`
 */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { openLoad } from "../../../scripts/bench/load.ts";
import { isShort } from "../../../scripts/short.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { small, tiny } from "../test/seed/registry.ts";
import { seed } from "../test/seed/seed.ts";
import { startPair } from "../test/standby.ts";
import { startSide } from "./side.ts";

const rounds = isShort ? 1 : 10;
const roundMs = isShort ? 200 : 2_000;
const connections = 16;
const paths = [
  "/api/v1/prompts?sort=newest&limit=100",
  "/api/v1/prompts?q=report&sort=newest",
  "/api/v1/search?q=report+check",
];

const pair = await startPair(async (url) => {
  const size = isShort ? tiny : { ...small, prompts: 100_000 };
  await seed(parseDatabaseUrl(url), size, { checks: false });
});
const isPinned = [pair.pids.primary, pair.pids.standby].every(
  (pid, core) => spawnSync("taskset", ["-pc", `${core}`, `${pid}`]).status === 0,
);
console.log(isPinned ? "a core for each PostgreSQL" : "no taskset: both share the cores");
const alone = await startSide("ours", { url: pair.primaryUrl, token: "" });
const both = await startSide("ours", { url: pair.primaryUrl, replica: pair.standbyUrl, token: "" });
try {
  // Until the replica is known to be fresh.
  await delay(2_000);
  for (const path of paths) await measure(path);
} finally {
  alone.child.kill("SIGKILL");
  both.child.kill("SIGKILL");
  await pair.stop();
}

async function measure(path: string): Promise<void> {
  const sides = await Promise.all(
    [alone, both].map(async ({ port }) => ({
      load: await openLoad({ port, path, headers: {} }, connections),
      rates: [] as number[],
      primaryMs: [] as number[],
    })),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const side of sides) {
      const before = await processorMs(pair.pids.primary);
      const { rate } = await side.load.run(roundMs);
      side.rates.push(rate);
      side.primaryMs.push(((await processorMs(pair.pids.primary)) - before) / ((rate * roundMs) / 1_000));
    }
  for (const { load } of sides) load.close();
  const [one, two] = sides.map(({ rates, primaryMs }) => ({
    rate: median(rates),
    primaryMs: median(primaryMs),
  }));
  if (!one || !two) return;
  console.log(
    `${path.padEnd(44)} ${one.rate.toFixed(0).padStart(6)}/s   with a replica ${two.rate.toFixed(0).padStart(6)}/s ` +
      `ratio ${(two.rate / one.rate).toFixed(2)}   of the primary ${one.primaryMs.toFixed(2)} and ${two.primaryMs.toFixed(2)} ms`,
  );
}

/** The processor's time of a PostgreSQL, with its sessions. */
async function processorMs(postmaster: number): Promise<number> {
  const children = (await readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8")).split(" ");
  const stats = await Promise.all(
    [`${postmaster}`, ...children]
      .filter((pid) => pid.trim() !== "")
      .map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")),
  );
  // After the name: state is the third field, user and system time the 14th and 15th, in hundredths of a second.
  const ticks = stats.map((text) => text.slice(text.lastIndexOf(")") + 2).split(" "));
  return 10 * ticks.reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
