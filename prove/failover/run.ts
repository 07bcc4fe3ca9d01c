// The primary is killed, frozen and switched TIMES times, under the load of all kinds of users. With a synchronous standby (SYNC=1, by
// default) nothing that was acknowledged may be lost, and nothing written twice. Both PostgreSQL are replicas as well: a list may be behind by
// what decision 0061 says. With POOLER=1 requests go through pgbouncer. Needs Debian's packages patroni, etcd-server, haproxy and postgresql.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { conclude, Fleet, type Load, ready, startLoad } from "../load.ts";
import { breaks, startCluster } from "./cluster.ts";

const { TIMES = "10", SYNC = "1", POOLER = "0" } = process.env;
const folder = mkdtempSync(join(tmpdir(), "promptreg-failover-"));
chmodSync(folder, 0o777);
const problems: string[] = [];
const cluster = await startCluster(folder, { isSynchronous: SYNC === "1" });
let fleet: Fleet | undefined;
let load: Load | undefined;
process.once("SIGINT", () => void end().then(() => process.exit(130)));

async function end(): Promise<void> {
  load?.stop();
  fleet?.stop();
  await cluster.stop();
}

try {
  await cluster.whole();
  const poolUrl = POOLER === "1" ? await cluster.startPooler() : undefined;
  fleet = new Fleet(folder, {
    DATABASE_URL: cluster.url,
    DATABASE_READ_URLS: cluster.nodeUrls.join(","),
    ...(poolUrl && { DATABASE_POOL_URL: poolUrl }),
  });
  fleet.run("migrate");
  fleet.run("user", "add", "ada");
  const token = fleet.run("token", "create", "--user", "ada", "--scopes", "read,write,evals:write");
  const ports = ["18801", "18802"];
  for (const port of ports) fleet.start(`server-${port}`, ["serve", "--no-worker"], { PORT: port });
  for (const nth of [1, 2]) fleet.start(`worker-${nth}`, ["worker"]);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  for (const url of urls) await ready(url);
  load = await startLoad({ urls, token });

  await delay(3_000);
  console.log(`  ${"break".padEnd(12)}${"write again after".padEnd(20)}whole again after`);
  for (let nth = 0; nth < Number(TIMES); nth += 1) {
    const how = breaks[nth % breaks.length] ?? "kill";
    const primary = await cluster.whole();
    const startMs = performance.now();
    load.note(`${how} ${nth + 1}`);
    const mend = await cluster.break(how, primary);
    // Writes that were on their way still end.
    await delay(1_500);
    const before = load.lastWriteMs;
    while (load.lastWriteMs === before && performance.now() - startMs < 120_000) await delay(50);
    const backMs = Math.round(load.lastWriteMs - startMs);
    if (backMs > 30_000) problems.push(`after a ${how}, writes came back after ${backMs} ms only`);
    await mend();
    await cluster.whole();
    console.log(
      `  ${how.padEnd(12)}${`${(backMs / 1000).toFixed(1)} s`.padEnd(20)}${((performance.now() - startMs) / 1000).toFixed(1)} s`,
    );
    await delay(2_000);
  }
  problems.push(...(await load.judge()));
} finally {
  await end();
}
if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
conclude(problems, folder);
