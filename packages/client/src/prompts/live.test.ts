import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { versionOf } from "../../test/registry-stub.ts";
import { createClient, type Client, type PromptCacheEvent, type PromptCacheOptions } from "../index.ts";

/** What the registry has: the version that `production` points to, by slug. */
let labels: Map<string, number>;
/** What it lists; others are unlisted. */
let listed: Set<string>;
/** What it does with a wait instead of waiting. */
let instead: ((request: Request) => Response | Promise<Response>) | undefined;
let requests: Request[];
let events: PromptCacheEvent[];
let waiting: Set<() => void>;
let client: Client;
/** The state of the list that each ETag stands for. */
let states: Map<string, Map<string, string>>;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  labels = new Map([
    ["reply", 1],
    ["other", 1],
  ]);
  listed = new Set(["reply", "other"]);
  states = new Map();
  [instead, requests, events, waiting] = [undefined, [], [], new Set()];
  client = open({ live: true, onEvent: (event) => events.push(event) });
});
afterEach(async () => {
  await client.close();
  vi.useRealTimers();
});

const open = (cache: PromptCacheOptions) =>
  createClient({ baseUrl: "http://registry.test", token: "prt_test", retries: 0, fetch: answer, cache });
const json = (data: unknown, headers: Record<string, string> = {}, status = 200) =>
  new Response(JSON.stringify(data), {
    status,
    headers: { "content-type": "application/json", "x-request-id": "req-12345", ...headers },
  });
const refusal = (status: number, code: string, headers = {}) =>
  json({ error: { code, message: "No.", requestId: "req-12345" } }, headers, status);
const etagOf = (slug: string) => `"v${labels.get(slug)}.${slug}"`;

async function answer(url: string, init: RequestInit): Promise<Response> {
  const request = new Request(url, init);
  requests.push(request);
  const { pathname, searchParams } = new URL(url);
  if (pathname.endsWith("/me")) return json({ handle: "ada" });
  if (searchParams.get("view") === "changes") return instead ? instead(request) : await changes(request);
  const slug = pathname.split("/").at(-1)!;
  const n = labels.get(slug);
  if (n === undefined) return refusal(404, "not_found");
  if (request.headers.get("if-none-match") === etagOf(slug)) return new Response(null, { status: 304 });
  const resolvedBy = { type: "label", value: "production" };
  return json(
    { ref: `ada/${slug}`, resolvedBy, yanked: false, version: versionOf(n) },
    { etag: etagOf(slug) },
  );
}

/** As the registry answers: at once if something changed, or when it does, or at the end. */
async function changes(request: Request): Promise<Response> {
  const known = request.headers.get("if-none-match");
  const seconds = Number(/wait=(\d+)/.exec(request.headers.get("prefer") ?? "")?.[1]);
  const endsAt = Date.now() + seconds * 1_000;
  for (;;) {
    const now = new Map(
      [...listed].filter((slug) => labels.has(slug)).map((slug) => [`ada/${slug}`, etagOf(slug)]),
    );
    const etag = `"${[...now.values()].join()}"`;
    states.set(etag, now);
    if (etag !== known) {
      const before = states.get(known ?? "");
      const changed = [...now].filter(([ref, one]) => before?.get(ref) !== one);
      const gone = [...(before?.keys() ?? [])].filter((ref) => !now.has(ref));
      const items = [
        ...changed.map(([ref, one]) => ({ ref, versionNumber: 1, etag: one })),
        ...gone.map((ref) => ({ ref, versionNumber: null, etag: null })),
      ];
      return json({ isWhole: before === undefined, items, nextCursor: null }, { etag });
    }
    if (Date.now() >= endsAt)
      return new Response(null, { status: 304, headers: { etag, "preference-applied": `wait=${seconds}` } });
    await new Promise<void>((resolve, reject) => {
      waiting.add(resolve);
      setTimeout(resolve, endsAt - Date.now());
      request.signal.addEventListener("abort", () => reject(request.signal.reason as Error));
    });
  }
}

function change(work: () => void): void {
  work();
  const all = [...waiting];
  waiting.clear();
  for (const wake of all) wake();
}

const handle = (slug: string) => client.prompt(`ada/${slug}@production`);
const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const waits = () => requests.filter(({ url }) => url.includes("view=changes"));
const reads = (slug: string) => requests.filter(({ url }) => url.includes(`/${slug}?`));

/** Gets prompts, and lets the wait begin. */
async function begin(...slugs: string[]): Promise<void> {
  for (const slug of slugs) await handle(slug).get();
  // The module is loaded by then, which takes no time of the fake clock.
  await vi.waitFor(() => expect(waits()).not.toEqual([]));
  await passes(1_000);
}

/** Time passes while the application goes on. */
async function goOn(seconds: number, ...slugs: string[]): Promise<void> {
  for (let second = 0; second < seconds; second += 2) {
    await passes(2_000);
    for (const slug of slugs) await handle(slug).get();
  }
}

describe("with live updates", () => {
  test("a moved label is served at once, and one request waits for all prompts of an owner and label", async () => {
    await begin("reply", "other");
    expect(waits().map(({ url }) => new URL(url).search)).toContain(
      "?owner=me&view=changes&label=production",
    );
    change(() => labels.set("reply", 2));
    await passes(0);
    expect(await handle("reply").get()).toMatchObject({ version: 2, staleReason: null });
    expect(reads("other")).toHaveLength(1);
    expect(events.filter(({ type, ref }) => type === "write" && ref === "ada/reply@production")).toHaveLength(
      2,
    );
  });

  test("what did not change stays fresh beyond its time to live, without a request of its own", async () => {
    await begin("reply");
    await goOn(300, "reply");
    const { staleReason, ageMs } = await handle("reply").get();
    expect([staleReason, reads("reply").length]).toEqual([null, 1]);
    expect(ageMs).toBeLessThan(31_000);
    expect(waits().length).toBeLessThan(15);
  });

  test("what the list has no more is asked for alone, and what it never had works as without them", async () => {
    labels.set("unlisted", 1);
    await begin("reply", "unlisted");
    change(() => labels.delete("reply"));
    await passes(0);
    await expect(handle("reply").get()).rejects.toMatchObject({ status: 404 });
    await goOn(58, "unlisted");
    expect(reads("unlisted")).toHaveLength(1);
    await goOn(10, "unlisted");
    expect(reads("unlisted").length).toBeGreaterThan(1);
    change(() => listed.delete("other"));
    expect((await handle("unlisted").get()).version).toBe(1);
  });

  test("a prompt that is hidden from the list is still served if it can be read alone", async () => {
    await begin("reply");
    change(() => listed.delete("reply"));
    await passes(0);
    expect((await handle("reply").get()).version).toBe(1);
    expect(reads("reply")).toHaveLength(2);
  });

  test("what a registry that begins anew lists no more is asked for alone, too", async () => {
    await begin("reply");
    change(() => {
      states.clear();
      listed.delete("reply");
    });
    await passes(0);
    expect(reads("reply")).toHaveLength(2);
  });

  test("without a get for some seconds nothing waits, and the next one begins where it ended", async () => {
    await begin("reply");
    await passes(11_000);
    const before = waits().length;
    await passes(60_000);
    expect([waits().length, vi.getTimerCount()]).toEqual([before, 0]);
    labels.set("reply", 2);
    await handle("reply").get();
    await passes(1_000);
    expect(waits().at(before)?.headers.get("if-none-match")).not.toBeNull();
    expect((await handle("reply").get()).version).toBe(2);
  });

  test("what is confirmed is not used by that: memory evicts what nobody asked for the longest", async () => {
    await handle("reply").get();
    const maxBytes = 2.5 * client.cache.bytes;
    await client.close();
    client = open({ live: true, maxBytes });
    requests = [];
    await begin("reply", "other", "reply");
    change(() => labels.set("third", 1) && listed.add("third"));
    await passes(0);
    await handle("third").get();
    await handle("reply").get();
    expect([client.cache.size, reads("reply").length]).toEqual([2, 1]);
  });

  test("ten owners and labels are followed, and each further one as without live updates", async () => {
    const all = Array.from({ length: 12 }, (_, nth) => client.prompt(`ada/reply@label-${nth}`));
    await begin("reply");
    for (const prompt of all) await prompt.get().catch(() => {});
    await passes(1_000);
    expect(new Set(waits().map(({ url }) => new URL(url).searchParams.get("label"))).size).toBe(10);
  });

  test("a pinned version is not followed", async () => {
    await client
      .prompt("ada/reply@1")
      .get()
      .catch(() => {});
    await passes(1_000);
    expect(waits()).toEqual([]);
  });
});

describe("where waiting does not work", () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ["an older registry", () => refusal(422, "validation_failed")],
    ["a proxy that ignores Prefer", () => new Response(null, { status: 304, headers: { etag: '"e"' } })],
    ["a registry with too many waits", () => refusal(429, "rate_limited", { "retry-after": "7" })],
    ["a proxy that answers itself", () => new Response("<h1>Hello</h1>", { status: 200 })],
    ["a broken connection", () => Promise.reject(new TypeError("fetch failed"))],
  ])("%s leaves labels as they are without it, and is said once", async (_, what) => {
    instead = what;
    await begin("reply");
    labels.set("reply", 2);
    await goOn(58, "reply");
    expect((await handle("reply").get()).version).toBe(1);
    await goOn(10, "reply");
    expect((await handle("reply").get()).version).toBe(2);
    expect(events.filter(({ type }) => type === "polling")).toMatchObject([{ ref: "ada/*@production" }]);
    expect(waits().length).toBeLessThan(20);
    instead = undefined;
    await goOn(70, "reply");
    change(() => labels.set("reply", 3));
    await passes(500);
    expect((await handle("reply").get()).version).toBe(3);
  });

  test("a proxy that cuts off long waits gets shorter ones", async () => {
    instead = (request) =>
      Promise.race([
        changes(request),
        new Promise<never>((_, reject) => setTimeout(() => reject(new TypeError("cut off")), 10_000)),
      ]);
    await begin("reply");
    await goOn(120, "reply");
    const waited = waits().map(({ headers }) => headers.get("prefer"));
    expect([waited[0], waited.at(-1)]).toEqual(["wait=30", "wait=7"]);
    change(() => labels.set("reply", 2));
    await passes(500);
    expect((await handle("reply").get()).version).toBe(2);
  });

  test("a proxy that lets no wait through gets none shorter than five seconds", async () => {
    instead = () => new Promise((_, reject) => setTimeout(() => reject(new TypeError("cut off")), 2_001));
    await begin("reply");
    await goOn(200, "reply");
    expect(waits().at(-1)?.headers.get("prefer")).toBe("wait=5");
  });

  test("a registry is asked again when it said, and one that knows no waits after half a minute at least", async () => {
    instead = () => refusal(429, "rate_limited", { "retry-after": "50" });
    await begin("reply");
    await goOn(46, "reply");
    expect(waits()).toHaveLength(1);
    instead = () => refusal(422, "validation_failed");
    await goOn(10, "reply");
    expect(waits()).toHaveLength(2);
    await goOn(20, "reply");
    expect(waits()).toHaveLength(2);
  });

  test("a second outage is said, too, and is tried again as soon as the first", async () => {
    const outage = async () => {
      instead = () => Promise.reject(new TypeError("fetch failed"));
      change(() => labels.set("reply", labels.get("reply")! + 1));
      await goOn(20, "reply");
      instead = undefined;
      await goOn(70, "reply");
    };
    await begin("reply");
    await outage();
    const before = waits().length;
    await outage();
    expect(events.filter(({ type }) => type === "polling")).toHaveLength(2);
    expect(waits().length - before).toBeGreaterThan(4);
  });

  test("a response that is no list of changes is told, and asked for again later", async () => {
    instead = () => json({ items: {} });
    await begin("reply");
    await goOn(1, "reply");
    expect(events.filter(({ type }) => type === "polling")).toMatchObject([
      { error: { message: "The response is no list of changes." } },
    ]);
    expect(waits()).toHaveLength(1);
  });

  test("an outage makes no wait shorter", async () => {
    instead = () => Promise.reject(new TypeError("fetch failed"));
    await begin("reply");
    await goOn(60, "reply");
    instead = undefined;
    await goOn(120, "reply");
    expect(waits().at(-1)?.headers.get("prefer")).toBe("wait=30");
  });

  test("a wait that the runtime dropped begins anew with a later get", async () => {
    instead = () => new Promise<never>(() => {});
    client = createClient({
      baseUrl: "http://registry.test",
      fetch: answer,
      cache: { live: true },
    });
    await begin("reply");
    vi.setSystemTime(Date.now() + 70_000);
    instead = undefined;
    labels.set("reply", 2);
    await handle("reply").get();
    await passes(500);
    expect((await handle("reply").get()).version).toBe(2);
  });

  test("a label that moves all the time is asked for twice a second at most", async () => {
    await begin("reply");
    const before = waits().length;
    for (let n = 2; n < 102; n++) {
      change(() => labels.set("reply", n));
      await passes(20);
      await handle("reply").get();
    }
    expect(waits().length - before).toBeLessThan(7);
    await passes(1_000);
    expect((await handle("reply").get()).version).toBe(101);
  });

  test("a refused token is noticed with the next get", async () => {
    await begin("reply");
    instead = () => refusal(401, "invalid_token");
    change(() => labels.set("reply", 2));
    await passes(1_000);
    expect((await handle("reply").get()).staleReason).toBe("revalidating");
  });

  test("a client that is closed waits no more", async () => {
    await begin("reply");
    await client.close();
    const before = waits().length;
    await goOn(30, "reply");
    expect([waits().length, vi.getTimerCount()]).toEqual([before, 0]);
  });
});
