import { rateLimits } from "@promptreg/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Answer,
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { commit, filesOf, moveLabel, publish } from "../../../test/prompts.ts";
import { exchange } from "../../../test/requests.ts";
import { watchStatements } from "../../../test/sent.ts";
import { createRateLimiter } from "../../kernel/rate-limits/rate-limit.ts";
import { Waits } from "../../kernel/changes/waits.ts";

let database: TestDatabase;
let here: TestServer;
let there: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  database = await createDatabase();
  here = await startTestServer({ database });
  there = await startTestServer({ database });
  alice = await here.join("alice");
  bob = await here.join("bob");
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await database.drop();
});

let made = 0;
let slug: string;
let at: string;
beforeEach(async () => {
  slug = `live-${++made}`;
  at = `/prompts/alice/${slug}`;
  await publish(alice, slug, { versions: 2, files: filesOf("One") });
  await moveLabel(alice, slug, "production");
});

interface Asking {
  who?: Person | undefined;
  etag?: string;
  seconds?: number;
  prefer?: string;
}

/** Asks the other server, with what the caller has. */
const ask = (path: string, { who, etag, seconds = 20, prefer = `wait=${seconds}` }: Asking = {}) =>
  exchange(there.url, `GET ${path}`, {
    token: who?.token,
    headers: { prefer, ...(etag !== undefined && { "if-none-match": etag }) },
  });

const etagOf = ({ headers }: Answer) => headers.get("etag") ?? "";

/** Waits at the other server for a change of what an address shows now. */
async function waitFor(
  path: string,
  asking: Asking = {},
): Promise<{ answer: Promise<Answer>; first: Answer }> {
  const first = await ask(path, asking);
  const answer = ask(path, { etag: etagOf(first), ...asking });
  await waiting(1);
  return { answer, first };
}

const waiting = (count: number) => vi.waitFor(() => expect(there.context.waits.size).toBe(count));

describe("a read that waits for a change of a version", () => {
  const version = () => `${at}?view=version&label=production`;

  test("is answered when the label moves on another server", async () => {
    const { answer, first } = await waitFor(version());
    await moveLabel(alice, slug, "production", 2);
    const { status, json, headers } = await answer;
    expect([first.json.version.n, status, json.version.n]).toEqual([1, 200, 2]);
    expect(headers.get("preference-applied")).toBe("wait=20");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("vary")).toBe("Authorization, Accept, Prefer");
  });

  test("is answered with 304 at the end", { tags: "long" }, async () => {
    const first = await ask(version());
    const { status, headers } = await ask(version(), { etag: etagOf(first), seconds: 1 });
    expect([status, headers.get("preference-applied")]).toEqual([304, "wait=1"]);
  });

  test("is answered at once without an ETag, with another one, or if it does not ask to wait", async () => {
    const first = await ask(version());
    expect(first.status).toBe(200);
    expect((await ask(version(), { etag: '"other"' })).status).toBe(200);
    for (const prefer of ["respond-async", "wait=soon", "wait=0", "wait"]) {
      const { status, headers } = await ask(version(), { etag: etagOf(first), prefer });
      expect([prefer, status, headers.get("preference-applied")]).toEqual([prefer, 304, null]);
    }
  });

  test.each<[string, (owner: Person) => Promise<unknown>, number]>([
    ["a removed label", (owner) => owner.request(`DELETE ${at}/labels/production`), 404],
    ["a deletion", (owner) => owner.request(`DELETE ${at}`), 410],
    [
      "that it turns private",
      (owner) => owner.request(`PATCH ${at}`, { body: { visibility: "private" } }),
      404,
    ],
    ["a rename", (owner) => owner.request(`PATCH ${at}`, { body: { slug: `${slug}-new` } }), 301],
  ])("is answered after %s", async (_, change, status) => {
    const { answer } = await waitFor(version());
    await change(alice);
    expect((await answer).status).toBe(status);
  });

  test("is not woken by what everybody may do", async () => {
    const { answer } = await waitFor(version());
    const heard: string[] = [];
    const end = there.context.bus.subscribe((changed) => heard.push(...(changed ?? [])));
    await bob.request(`PUT ${at}/star`);
    await bob.request("POST /comments", {
      body: { target: { type: "prompt", id: `alice/${slug}` }, body: `Good ${slug}` },
    });
    await bob.request(`POST ${at}/examples`, { body: { output: "Hello" } });
    // What is announced later is heard later.
    const later = `${slug}-later`;
    await publish(alice, later);
    const idOf = async (one: string) =>
      (await there.sql<{ id: string }[]>`select id from prompts where slug = ${one}`)[0]?.id ?? "";
    const [first, last] = [await idOf(slug), await idOf(later)];
    await vi.waitFor(() => expect(heard).toContain(last), { timeout: 60_000 });
    expect(heard).not.toContain(first);
    await moveLabel(alice, slug, "production", 2);
    expect((await answer).status).toBe(200);
    await vi.waitFor(() => expect(heard).toContain(first), { timeout: 60_000 });
    end();
  });

  test("goes on after changes that it does not show", async () => {
    const { answer } = await waitFor(version());
    await commit(alice, slug, "Three");
    await alice.request(`PATCH ${at}`, { body: { title: "Another title" } });
    await bob.request(`PUT ${at}/star`);
    await waiting(1);
    await moveLabel(alice, slug, "production", 2);
    expect((await answer).json.version.n).toBe(2);
  });

  test("is answered for a pinned version when it is yanked, and for the latest when it is another", async () => {
    const pinned = await waitFor(`${at}?view=version&version=2`);
    const latest = ask(`${at}?view=version`, { etag: etagOf(await ask(`${at}?view=version`)) });
    await waiting(2);
    expect((await alice.request(`POST ${at}/versions/2/yank`)).status).toBe(200);
    expect((await pinned.answer).json.yanked).toBe(true);
    expect((await latest).json.version.n).toBe(1);
  });

  test("is answered for the latest version when there is a new one", async () => {
    const { answer } = await waitFor(`${at}?view=version`);
    await commit(alice, slug, "Three");
    expect((await answer).json.version.n).toBe(3);
  });

  test("is answered when the caller's account changes, as it would be alone", async () => {
    const carol = await here.join(`carol-${made}`);
    const { answer } = await waitFor(version(), { who: carol });
    await there.sql`update tokens set revoked_at = clock() where user_id = ${carol.id}`;
    here.context.bus.announce({ id: carol.id });
    expect((await answer).status).toBe(401);
  });

  test("of nobody any more ends", async () => {
    const leaving = new AbortController();
    const first = await ask(version());
    const left = fetch(`${there.url}/api/v1${version()}`, {
      headers: { prefer: "wait=20", "if-none-match": etagOf(first) },
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await waiting(1);
    leaving.abort();
    expect(await left).toBe("AbortError");
    await waiting(0);
  });
});

describe("the list of changes", () => {
  const list = "/prompts?owner=alice&label=production&view=changes";

  test("has all versions of a label, and then those that changed", { tags: "long" }, async () => {
    const { answer, first } = await waitFor(list);
    expect(first.json.isWhole).toBe(true);
    const mine = first.json.items.find(({ ref }: { ref: string }) => ref === `alice/${slug}`);
    const alone = await ask(`${at}?view=version&label=production`);
    expect(mine).toEqual({ ref: `alice/${slug}`, versionNumber: 1, etag: etagOf(alone) });
    await moveLabel(alice, slug, "production", 2);
    const now = await answer;
    const moved = await ask(`${at}?view=version&label=production`);
    expect(now.json).toEqual({
      isWhole: false,
      items: [{ ref: `alice/${slug}`, versionNumber: 2, etag: etagOf(moved) }],
      nextCursor: null,
    });
    expect((await ask(list, { etag: etagOf(now), seconds: 1 })).status).toBe(304);
  });

  test("names what it has no more, and what it has again", async () => {
    const { answer, first } = await waitFor(list);
    await alice.request(`PATCH ${at}`, { body: { visibility: "private" } });
    const hidden = await answer;
    expect(hidden.json.items).toEqual([{ ref: `alice/${slug}`, versionNumber: null, etag: null }]);
    const again = ask(list, { etag: etagOf(hidden) });
    await waiting(1);
    await alice.request(`PATCH ${at}`, { body: { visibility: "public" } });
    expect((await again).json.items).toMatchObject([{ ref: `alice/${slug}`, versionNumber: 1 }]);
    expect(etagOf(await again)).toBe(etagOf(first));
  });

  test("shows a new prompt, and says nothing of a private one to others", async () => {
    const mine = "/prompts?owner=me&label=production&view=changes";
    const others = await waitFor(list);
    const first = await ask(mine, { who: alice });
    const own = ask(mine, { who: alice, etag: etagOf(first) });
    await waiting(2);
    await publish(alice, `${slug}-b`, { visibility: "private", labels: ["production"] });
    expect((await own).json.items).toMatchObject([{ ref: `alice/${slug}-b`, versionNumber: 1 }]);
    await waiting(1);
    await publish(alice, `${slug}-c`, { labels: ["production"] });
    expect((await others.answer).json.items).toMatchObject([{ ref: `alice/${slug}-c` }]);
  });

  test("leaves out mature prompts of others, unless the caller's preference is to see them", async () => {
    const { id } = await publish(alice, `${slug}-mature`, { rating: "mature", labels: ["production"] });
    const curious = await here.join(`curious-${made}`);
    await here.sql`update users set preferences = preferences || '{"showMature": true}' where id = ${curious.id}`;
    const isListed = async (who?: Person, path = list) =>
      (await ask(path, { who })).json.items.some(
        ({ ref }: { ref: string }) => ref === `alice/${slug}-mature`,
      );
    expect([await isListed(), await isListed(bob), await isListed(curious)]).toEqual([false, false, true]);
    expect(await isListed(alice, list.replace("alice", "me"))).toBe(true);
    await here.sql`update prompts set deleted_at = clock() where id = ${id}`;
  });

  test("is of 5,000 prompts at most", { tags: "long" }, async () => {
    const owner = await here.join(`many-${made}`);
    const { id } = await publish(owner, "first");
    const add = (from: number, to: number) => here.sql`
      with made as (
        insert into prompts (owner_id, slug, kind, title, visibility, rating, status, last_version, latest_version, published_at)
        select ${owner.id}, 'more-' || n, 'text', 'One of many', 'public', 'general', 'published', 1, 1, clock()
        from generate_series(${from}::int, ${to}::int) n returning id
      )
      insert into versions (id, prompt_id, n, entry, content_hash, variables, config, token_estimate, author_id, author_handle, origin)
      select new_id('ver'), made.id, 1, entry, content_hash, variables, config, token_estimate, author_id, author_handle, origin
      from made, versions v where v.prompt_id = ${id}`;
    const path = `/prompts?owner=${owner.handle}&view=changes`;
    await add(2, 5_000);
    expect((await ask(path)).json.items).toHaveLength(5_000);
    await add(5_001, 5_001);
    const { status, json } = await ask(path);
    expect([status, json.error.details[0].path]).toEqual([422, "/view"]);
  });

  test("is whole for an ETag that this server does not remember", async () => {
    const { status, json } = await ask(list, { etag: '"unknown"' });
    expect([status, json.isWhole]).toEqual([200, true]);
  });

  test("is whole for an ETag of another list, which would name what is private", async () => {
    await publish(alice, `${slug}-private`, { visibility: "private", labels: ["production"] });
    const own = await ask("/prompts?owner=me&label=production&view=changes", { who: alice });
    expect(JSON.stringify(own.json)).toContain("-private");
    for (const owner of ["alice", "me"]) {
      const asked = { who: bob, etag: etagOf(own) };
      const { json } = await ask(`/prompts?owner=${owner}&label=production&view=changes`, asked);
      expect([json.isWhole, JSON.stringify(json).includes("-private")]).toEqual([true, false]);
    }
  });

  test("of an account that does not exist is empty", async () => {
    expect((await ask("/prompts?owner=nobody-here&view=changes")).json).toEqual({
      isWhole: true,
      items: [],
      nextCursor: null,
    });
  });

  test.each(["q=reply", "sort=newest", "limit=10", "tag=a", "cursor=a"])("takes no %s", async (field) => {
    const { status, json } = await ask(`${list}&${field}`);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
  });

  test("asks once for all who want it at once", async () => {
    const first = await ask(list);
    const all = Array.from({ length: 40 }, () => ask(list, { etag: etagOf(first) }));
    await waiting(40);
    let reads = 0;
    const note = (text: string) => (reads += text.includes("row_to_json(listed)") ? 1 : 0);
    await watchStatements([there.context.sql], note, async () => {
      await moveLabel(alice, slug, "production", 2);
      await Promise.all(all);
    });
    expect(reads).toBeLessThan(10);
    for (const { json } of await Promise.all(all)) expect(json.items).toMatchObject([{ versionNumber: 2 }]);
  });
});

describe("the limit of waits", () => {
  afterEach(() => (there.context.limiter = null));

  test("is of an account or an address, says when it lets more pass, and leaves other reads alone", {
    tags: "long",
  }, async () => {
    const limits = { ...rateLimits, wait: { ...rateLimits.wait, quota: 2 } };
    const limiter = createRateLimiter({ ...there.context, limits });
    await limiter.start();
    there.context.limiter = limiter;
    const dave = await here.join(`dave-${made}`);
    const path = `${at}?view=version`;
    const etag = etagOf(await ask(path));
    for (const _ of [1, 2]) expect((await ask(path, { who: dave, etag, seconds: 1 })).status).toBe(304);
    const refused = await ask(path, { who: dave, etag });
    expect([refused.status, refused.headers.get("ratelimit-policy")]).toEqual([429, '"wait";q=2;w=30']);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask(path, { who: dave, etag, seconds: 0 })).status).toBe(304);
    // Each without a token counts for its address.
    expect((await ask(path, { etag, seconds: 1 })).status).toBe(304);
    limiter.stop();
  });

  test("counts a wait as a read once, and only if it ends with an answer", { tags: "long" }, async () => {
    const limiter = createRateLimiter({ ...there.context, limits: rateLimits });
    await limiter.start();
    there.context.limiter = limiter;
    const left = async () =>
      Number(/r=(\d+)/.exec((await ask(path, { seconds: 0 })).headers.get("ratelimit") ?? "")?.[1]);
    const path = `${at}?view=version`;
    const etag = etagOf(await ask(path));
    const before = await left();
    await ask(path, { etag, seconds: 1 });
    expect(await left()).toBe(before - 1);
    const answer = ask(path, { etag });
    await waiting(1);
    await commit(alice, slug, "Three");
    expect((await answer).status).toBe(200);
    expect(await left()).toBe(before - 3);
    limiter.stop();
  });
});

describe("a server", () => {
  afterEach(() => (there.context.readiness.isStopping = false));

  test("that stops answers who waits, and ends the connection", async () => {
    const { answer } = await waitFor(`${at}?view=version`);
    await there.drain(0);
    const { status, headers } = await answer;
    expect([status, headers.get("connection")]).toEqual([304, "close"]);
    there.context.waits = new Waits(there.context.bus);
  });

  test("that holds as many waits as it can refuses the next, which can ask without waiting", async () => {
    there.context.waits = new Waits(there.context.bus, 1);
    const { answer, first } = await waitFor(`${at}?view=version`);
    const refused = await ask(`${at}?view=version`, { etag: etagOf(first) });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    expect((await ask(`${at}?view=version`, { etag: etagOf(first), seconds: 0 })).status).toBe(304);
    await commit(alice, slug, "Three");
    expect((await answer).status).toBe(200);
  });
});
