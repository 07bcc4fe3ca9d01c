import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../packages/client/src/index.ts";

const main = join(import.meta.dirname, "../packages/server/dist/main.js");
/** How far what is listed without a token may be behind, and a little for the way. */
const listLagMs = 2_500;

/** Processes of `promptreg-server` that share a database. */
export class Fleet {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children = new Set<ReturnType<typeof spawn>>();

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = {
      PATH: process.env["PATH"],
      PROMPTREG_SECRET: "a secret of this proof, and of nothing else",
      PROMPTREG_DATA_DIR: join(folder, "data"),
      PROMPTREG_UNSAFE_WEBHOOKS: "1",
      RATE_LIMITS: "off",
      ...env,
    };
  }

  /** Runs a command to its end, and gives what it prints. */
  run(...args: string[]): string {
    const options = { env: this.#env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] } as const;
    return execFileSync(process.execPath, [main, ...args], options).trim();
  }

  /** Starts a process that stays, with a log of its own. */
  start(name: string, args: string[], env: NodeJS.ProcessEnv = {}): ReturnType<typeof spawn> {
    const log = join(this.#folder, `${name}.log`);
    const child = spawn("sh", ["-c", `exec "$@" >>'${log}' 2>&1`, "sh", process.execPath, main, ...args], {
      env: { ...this.#env, ...env },
      stdio: "ignore",
    });
    this.#children.add(child);
    return child;
  }

  stop(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** Waits until a server wants requests. @throws if it does not for a minute. */
export async function ready(url: string): Promise<void> {
  for (const endMs = performance.now() + 60_000; performance.now() < endMs; await delay(200))
    if ((await fetch(`${url}/readyz`).catch(() => null))?.ok) return;
  throw new Error(`${url} does not get ready: see its log.`);
}

/** What a load has done so far, and how it can be found out what came of it. */
export interface Load {
  /** When a write was acknowledged last. */
  readonly lastWriteMs: number;
  readonly counts: {
    writes: number;
    refused: number;
    reads: number;
    failedReads: number;
    stale: number;
    lists: number;
  };
  /** From now on what is lost is said to be so long after this. */
  note(how: string): void;
  /** Ends it, prints what it did, and gives what is wrong. */
  judge(): Promise<string[]>;
  /** Ends it at once. */
  stop(): void;
}

/**
 * Begins the load of all kinds of users at once: people who commit and move labels, CI that reports, applications that read, visitors who list
 * without a token, and a receiver of webhooks.
 */
export async function startLoad({ urls, token }: { urls: readonly string[]; token: string }): Promise<Load> {
  const over = new AbortController();
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

  const people = urls.map((baseUrl) =>
    createClient({ baseUrl, token, timeoutMs: 5_000, deadlineMs: 20_000 }),
  );
  const [person = createClient()] = people;
  const slugs = Array.from({ length: 10 }, (_, nth) => `prompt-${nth}`);
  const files = (text: string) => [{ path: "PROMPT.md", content: text }];
  const create = (slug: string) =>
    person.prompts.create({
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
  for (const slug of slugs) await create(slug);
  const { port } = receiver.address() as AddressInfo;
  await person.webhooks.create({
    body: { url: `http://127.0.0.1:${port}/`, events: ["prompt.version.created", "prompt.label.moved"] },
  });

  const problems: string[] = [];
  const done = {
    versions: new Map<string, string[]>(),
    moves: new Map<string, string[]>(),
    runs: new Set<string>(),
    prompts: new Map<string, number>(),
  };
  const counts = { writes: 0, refused: 0, reads: 0, failedReads: 0, stale: 0, lists: 0 };
  const refusals = new Set<string>();
  let lastWriteMs = performance.now();
  /** When each was acknowledged, and what was noted when. */
  const at = new Map<string, number>();
  const noted: { how: string; ms: number }[] = [];
  const whenOf = (what: string) => {
    const ms = at.get(what) ?? 0;
    const { how, ms: notedMs } = noted.findLast((one) => one.ms < ms + 2_000) ?? { how: "start", ms: 0 };
    return `acknowledged ${Math.round(ms - notedMs)} ms after the ${how}`;
  };
  const acknowledge = (map: Map<string, string[]>, slug: string, what: string) => {
    map.set(slug, [...(map.get(slug) ?? []), what]);
    counts.writes += 1;
    lastWriteMs = performance.now();
    at.set(what, lastWriteMs);
  };
  const go = async (act: () => Promise<unknown>, pauseMs: number) => {
    while (!over.signal.aborted) {
      await act().catch((error: Error) => {
        counts.refused += 1;
        refusals.add(error.message);
        if ("code" in error && error.code === "internal_error") problems.push(`a defect: ${error.message}`);
      });
      await delay(pauseMs);
    }
  };

  const writers = slugs.map((slug, nth) => {
    const client = people[nth % people.length] ?? person;
    const params = { owner: "ada", slug };
    let count = 0;
    return go(async () => {
      const what = `${slug} ${(count += 1)}`;
      const version = await client.prompts.versions.create({
        ...params,
        body: { files: files(what), message: what },
      });
      acknowledge(done.versions, slug, what);
      const reason = `move ${what}`;
      await client.prompts.labels.put({
        ...params,
        name: "production",
        body: { versionNumber: version.n, reason },
      });
      acknowledge(done.moves, slug, reason);
      if (count % 5 === 0) {
        const { id } = await client.evals.runs.create({
          body: { prompt: `ada/${slug}`, versionNumber: version.n, model: "a-model" },
        });
        done.runs.add(id);
      }
    }, 50);
  });
  let created = 0;
  const author = go(async () => {
    const slug = `new-${(created += 1)}`;
    await create(slug);
    done.prompts.set(slug, performance.now());
  }, 1_000);
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
  const visitors = urls.map((url) =>
    go(async () => {
      const askedMs = performance.now();
      const response = await fetch(`${url}/api/v1/prompts?owner=ada&sort=newest&limit=100`, {
        signal: AbortSignal.timeout(10_000),
      });
      // During an outage there is no list.
      if (!response.ok) {
        await response.body?.cancel();
        return;
      }
      const { items } = (await response.json()) as { items: { slug: string }[] };
      counts.lists += 1;
      const shown = new Set(items.map(({ slug }) => slug));
      for (const [slug, ms] of done.prompts)
        if (ms > askedMs - 30_000 && ms < askedMs - listLagMs && !shown.has(slug))
          problems.push(`a list lacked ${slug}, ${Math.round(askedMs - ms)} ms after it was acknowledged`);
    }, 100),
  );

  const stop = () => {
    over.abort();
    receiver.close();
  };
  return {
    get lastWriteMs() {
      return lastWriteMs;
    },
    counts,
    note: (how) => void noted.push({ how, ms: performance.now() }),
    stop,
    async judge() {
      over.abort();
      await Promise.all([...writers, ...applications, ...visitors, author]);
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
      stop();

      console.log(
        `  acknowledged: ${versions} versions, ${moves} label moves, ${done.runs.size} runs, ${done.prompts.size} prompts; refused or unknown: ${counts.refused}`,
      );
      for (const message of [...refusals].slice(0, 5)) console.log(`    ${message}`);
      console.log(
        `  delivered: ${due.length - missing.length} of ${due.length} events, ${again} of them once more`,
      );
      console.log(
        `  reads of applications: ${counts.reads}, from the cache during an outage ${counts.stale}, failed ${counts.failedReads}; lists of visitors: ${counts.lists}`,
      );
      return problems;
    },
  };
}

/** Prints what is wrong, and where the logs are. */
export function conclude(problems: readonly string[], folder: string): void {
  for (const problem of problems.slice(0, 20)) console.log(`  ✗ ${problem}`);
  if (problems.length > 0) {
    console.log(`  ✗ ${problems.length} problems; the logs are in ${folder}`);
    process.exitCode = 1;
  } else console.log("  ✓ nothing was lost, and nothing written twice");
}
