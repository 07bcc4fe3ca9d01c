// The primary is killed, frozen and switched TIMES times, under the load of applications that read, people who commit and move labels, CI that reports,
// and a receiver of webhooks. With a synchronous standby (SYNC=1, by default) nothing that was acknowledged may be lost, and nothing written twice.
// Needs Debian's packages patroni, etcd-server, haproxy and postgresql.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../../packages/client/src/index.ts";
import { breaks, startCluster } from "./cluster.ts";

const { TIMES = "10", SYNC = "1" } = process.env;
const folder = mkdtempSync(join(tmpdir(), "promptreg-failover-"));
chmodSync(folder, 0o777);
const main = join(import.meta.dirname, "../../packages/server/dist/main.js");
const problems: string[] = [];

/** Events by the reason or the message of what caused them. */
const received = new Map<string, number>();
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    const { data } = JSON.parse(body) as {
      data: { label?: { reason: string }; version?: { message?: string } };
    };
    const cause = data.label?.reason ?? data.version?.message;
    if (cause) received.set(cause, (received.get(cause) ?? 0) + 1);
    response.end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));

const cluster = await startCluster(folder, { isSynchronous: SYNC === "1" });
const children: ReturnType<typeof spawn>[] = [];
/** Whether the load is to end. */
const over = new AbortController();
process.once("SIGINT", () => void end().then(() => process.exit(130)));

async function end(): Promise<void> {
  over.abort();
  for (const child of children) child.kill("SIGKILL");
  await cluster.stop();
  receiver.close();
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
}

try {
  await cluster.whole();
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: cluster.url,
    PROMPTREG_SECRET: "a secret of this proof, and of nothing else",
    PROMPTREG_DATA_DIR: join(folder, "data"),
    PROMPTREG_UNSAFE_WEBHOOKS: "1",
    RATE_LIMITS: "off",
  };
  const server = (args: string[]) =>
    execFileSync(process.execPath, [main, ...args], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  server(["migrate"]);
  server(["user", "add", "ada"]);
  const token = server(["token", "create", "--user", "ada", "--scopes", "read,write,evals:write"]).trim();
  const ports = ["18801", "18802"];
  for (const [nth, args] of [
    ["serve", "--no-worker"],
    ["serve", "--no-worker"],
    ["worker"],
    ["worker"],
  ].entries()) {
    const log = join(folder, `server-${nth}.log`);
    children.push(
      spawn("sh", ["-c", `exec "$@" >>'${log}' 2>&1`, "sh", process.execPath, main, ...args], {
        env: { ...env, PORT: ports[nth] ?? "0" },
        stdio: "ignore",
      }),
    );
  }
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  for (const url of urls) while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await delay(200);

  const people = urls.map((baseUrl) =>
    createClient({ baseUrl, token, timeoutMs: 5_000, deadlineMs: 20_000 }),
  );
  const [person = createClient()] = people;
  const slugs = Array.from({ length: 10 }, (_, nth) => `prompt-${nth}`);
  const files = (text: string) => [{ path: "PROMPT.md", content: text }];
  for (const slug of slugs)
    await person.prompts.create({
      body: {
        slug,
        kind: "text",
        title: slug,
        visibility: "public",
        publish: true,
        files: files("first"),
        labels: ["production"],
      },
    });
  const { port } = receiver.address() as AddressInfo;
  await person.webhooks.create({
    body: { url: `http://127.0.0.1:${port}/`, events: ["prompt.version.created", "prompt.label.moved"] },
  });

  const done = {
    versions: new Map<string, string[]>(),
    moves: new Map<string, string[]>(),
    runs: new Set<string>(),
  };
  const counts = { refused: 0, reads: 0, failedReads: 0, stale: 0 };
  const last = { writeMs: performance.now() };
  /** When each was acknowledged, and when which break began. */
  const at = new Map<string, number>();
  const begun: { how: string; ms: number }[] = [];
  const whenOf = (what: string) => {
    const ms = at.get(what) ?? 0;
    const { how, ms: breakMs } = begun.findLast((one) => one.ms < ms + 2_000) ?? { how: "start", ms: 0 };
    return `acknowledged ${Math.round(ms - breakMs)} ms after the ${how}`;
  };
  const note = (map: Map<string, string[]>, slug: string, what: string) => {
    map.set(slug, [...(map.get(slug) ?? []), what]);
    last.writeMs = performance.now();
    at.set(what, last.writeMs);
  };
  const go = async (act: () => Promise<unknown>, pauseMs: number) => {
    while (!over.signal.aborted) {
      await act().catch(() => (counts.refused += 1));
      await delay(pauseMs);
    }
  };
  const load = people.flatMap((client, nth) =>
    slugs
      .filter((_, at) => at % people.length === nth)
      .map((slug) => {
        let count = 0;
        const params = { owner: "ada", slug };
        return go(async () => {
          const what = `${slug} ${(count += 1)}`;
          const version = await client.prompts.versions.create({
            ...params,
            body: { files: files(what), message: what },
          });
          note(done.versions, slug, what);
          const reason = `move ${what}`;
          await client.prompts.labels.put({
            ...params,
            name: "production",
            body: { versionNumber: version.n, reason },
          });
          note(done.moves, slug, reason);
          if (count % 5 === 0) {
            const { id } = await client.evals.runs.create({
              body: { prompt: `ada/${slug}`, versionNumber: version.n, model: "a-model" },
            });
            done.runs.add(id);
          }
        }, 50);
      }),
  );
  const applications = urls.map((baseUrl) => {
    const client = createClient({ baseUrl, token, cache: { ttlMs: 200 } });
    const prompts = slugs.map((slug) => client.prompt(`ada/${slug}@production`));
    return go(async () => {
      for (const prompt of prompts)
        try {
          const { staleReason } = await prompt.get();
          counts.reads += 1;
          if (staleReason !== null && staleReason !== "revalidating") counts.stale += 1;
        } catch {
          counts.failedReads += 1;
        }
    }, 20);
  });

  await delay(3_000);
  console.log(`  ${"break".padEnd(12)}${"write again after".padEnd(20)}whole again after`);
  for (let nth = 0; nth < Number(TIMES); nth += 1) {
    const how = breaks[nth % breaks.length] ?? "kill";
    const primary = await cluster.whole();
    const startMs = performance.now();
    begun.push({ how: `${how} ${nth + 1}`, ms: startMs });
    const mend = await cluster.break(how, primary);
    // Writes that were on their way still end.
    await delay(1_500);
    const before = last.writeMs;
    while (last.writeMs === before && performance.now() - startMs < 120_000) await delay(50);
    const backMs = Math.round(last.writeMs - startMs);
    if (backMs > 30_000) problems.push(`after a ${how}, writes came back after ${backMs} ms only`);
    await mend();
    await cluster.whole();
    console.log(
      `  ${how.padEnd(12)}${`${(backMs / 1000).toFixed(1)} s`.padEnd(20)}${((performance.now() - startMs) / 1000).toFixed(1)} s`,
    );
    await delay(2_000);
  }
  over.abort();
  await Promise.all([...load, ...applications]);

  let [versions, moves] = [0, 0];
  for (const slug of slugs) {
    const params = { owner: "ada", slug };
    const messages: string[] = [];
    for await (const { message } of person.prompts.versions.list({ ...params, query: { limit: 100 } }))
      if (message) messages.push(message);
    const reasons = new Set<string>();
    for await (const { reason } of person.prompts.labels.history({
      ...params,
      name: "production",
      query: { limit: 100 },
    }))
      if (reason) reasons.add(reason);
    if (new Set(messages).size !== messages.length) problems.push(`${slug} has a version twice`);
    const has = new Set(messages);
    for (const what of done.versions.get(slug) ?? []) {
      versions += 1;
      if (!has.has(what)) problems.push(`lost: the version "${what}", ${whenOf(what)}`);
    }
    for (const reason of done.moves.get(slug) ?? []) {
      moves += 1;
      if (!reasons.has(reason)) problems.push(`lost: the move "${reason}", ${whenOf(reason)}`);
    }
  }
  const runs = new Set<string>();
  for (const slug of slugs)
    for await (const { id } of person.evals.runs.list({ query: { prompt: `ada/${slug}`, limit: 100 } }))
      runs.add(id);
  for (const id of done.runs) if (!runs.has(id)) problems.push(`lost: the run ${id}`);
  const due = [...done.versions.values(), ...done.moves.values()].flat();
  for (
    const endMs = performance.now() + 120_000;
    performance.now() < endMs && due.some((what) => !received.has(what));
  )
    await delay(500);
  const missing = due.filter((what) => !received.has(what));
  for (const what of missing) problems.push(`never delivered: "${what}"`);
  const again = [...received.values()].reduce((sum, times) => sum + times - 1, 0);
  if (counts.failedReads > 0) problems.push(`${counts.failedReads} reads of applications failed`);

  console.log(
    `  acknowledged: ${versions} versions, ${moves} label moves, ${done.runs.size} runs; refused or unknown: ${counts.refused}`,
  );
  console.log(
    `  delivered: ${due.length - missing.length} of ${due.length} events, ${again} of them once more`,
  );
  console.log(
    `  reads of applications: ${counts.reads}, from the cache during an outage ${counts.stale}, failed ${counts.failedReads}`,
  );
} finally {
  await end();
}
for (const problem of problems.slice(0, 20)) console.log(`  ✗ ${problem}`);
if (problems.length > 0) {
  console.log(`  ✗ ${problems.length} problems; the logs are in ${folder}`);
  process.exitCode = 1;
} else console.log("  ✓ nothing was lost, and nothing written twice");
