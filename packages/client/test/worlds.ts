import { createClient, type Fetch, type PromptDisk, type ResolvedPrompt } from "../src/index.ts";
import { versionOf } from "./registry-stub.ts";

/** How a registry, or another server at its address, may behave. */
export const worlds = [
  "up",
  "slow",
  "down",
  "hang",
  "busy",
  "foreign",
  "elsewhere",
  "gateway",
  "refuses",
] as const;
export type World = (typeof worlds)[number];

/** The number of every version that does not come from the registry. */
export const foreignVersion = 666;

const patienceMs = { kept: 1_000, cold: 5_000 };
const json = (data: unknown, status = 200) =>
  Response.json(data, { status, headers: { "x-request-id": "req-1" } });
const error = (code: string) => ({ error: { code, message: "No.", requestId: "req-1" } });

/** A client on fake timers in a world that changes, and the rules that it violated. */
export function worldOf() {
  let world: World = "up";
  let version = 0;
  const violations: string[] = [];
  const served: Pick<ResolvedPrompt, "version" | "source" | "staleReason">[] = [];
  const [kept, refused, running] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let waiting = 0;

  const found = (path: string, n: number) => ({
    ref: path.replace("/api/v1/prompts/", ""),
    resolvedBy: { type: "label", value: "production" },
    yanked: false,
    version: versionOf(n),
  });
  const answers: Record<World, (path: string) => Response | Promise<Response>> = {
    up: (path) => json(found(path, (version += 1) % foreignVersion)),
    slow: (path) => new Promise((resolve) => setTimeout(() => resolve(answers.up(path)), 3_000)),
    down: () => Promise.reject(new TypeError("fetch failed")),
    hang: () => new Promise(() => {}),
    busy: () => json(error("unavailable"), 503),
    foreign: () => json({ status: "ok" }),
    elsewhere: () => json(found("eve/other", foreignVersion)),
    gateway: () => json({ error: { code: "NotFound", message: "No." } }, 404),
    refuses: () => json(error("gone"), 410),
  };
  const fetch: Fetch = async (url, { signal }) => {
    const path = new URL(url).pathname;
    if (running.has(path)) violations.push(`${path} is requested twice at once`);
    running.add(path);
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason as Error)),
    );
    try {
      return await Promise.race([answers[world](path), aborted]);
    } finally {
      running.delete(path);
    }
  };
  const texts = new Map<string, string>();
  const disk: PromptDisk = {
    read: async (address) => texts.get(address),
    write: async (address, text) => void texts.set(address, text),
    // As a disk that became read-only.
    remove: () => Promise.reject(new Error("EROFS")),
  };
  const client = createClient({
    baseUrl: "http://registry.test",
    token: "prt_secret",
    fetch,
    retries: 0,
    cache: {
      disk,
      onEvent(event) {
        const { ref } = event;
        if (event.type === "write") {
          kept.add(ref);
          refused.delete(ref);
        } else if (event.type === "refused") {
          kept.delete(ref);
          refused.add(ref);
        } else if ("prompt" in event && refused.has(ref) && event.prompt.source !== "fallback")
          violations.push(`${ref} is served from ${event.prompt.source} though it was refused`);
      },
    },
  });

  return {
    violations,
    served,
    waiting: () => waiting,
    become: (next: World) => void (world = next),
    clear() {
      client.cache.clear();
      // A refused prompt may be requested again, and entries on disk are used again.
      refused.clear();
    },
    get(slug: string, hasFallback: boolean) {
      const ref = `ada/${slug}@production`;
      const maxMs = kept.has(ref) ? patienceMs.kept : hasFallback ? patienceMs.cold : Infinity;
      const startedMs = performance.now();
      waiting += 1;
      const end = (prompt?: ResolvedPrompt) => {
        waiting -= 1;
        if (prompt)
          served.push({ version: prompt.version, source: prompt.source, staleReason: prompt.staleReason });
        const tookMs = performance.now() - startedMs;
        if (tookMs > maxMs) violations.push(`${ref} took ${tookMs} ms, more than ${maxMs}`);
      };
      const options = hasFallback ? { fallback: "Hello" } : {};
      client
        .prompt(ref, options)
        .get()
        .then(end, () => end());
    },
  };
}
