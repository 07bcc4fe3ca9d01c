import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(() => server.stop());

const make = (slug: string, fields: object = {}, who = alice) => publish(who, slug, fields);
const put = (who: Person, ref: string, level: string, headers = {}) =>
  who.request(`PUT /prompts/${ref}/watch`, { body: { level }, headers });
const watchOf = async (who: Person, ref: string) =>
  (await who.request(`GET /prompts/${ref}/watch`)).json.watch;
const levelShownTo = async (who: Person, ref: string) =>
  (await who.request(`GET /prompts/${ref}`)).json.viewer.watchLevel;
const rowsOf = async ({ id }: Person) => (await server.sql`select from watches where user_id = ${id}`).count;

/** The prompts of a list, read in pages of a given size. */
const listOf = async (who: Person, query = "", limit = 100): Promise<string[]> =>
  (await itemsOf(who, `GET /me/watches?limit=${limit}${query}`)).map(({ prompt }) => prompt.ref);

describe("watching a prompt", () => {
  test("begins with a request, and every response about the prompt shows it", async () => {
    await make("begins");
    const bob = await server.join("bob");
    expect([await watchOf(bob, "alice/begins"), await levelShownTo(bob, "alice/begins")]).toEqual([
      null,
      null,
    ]);
    const answer = await put(bob, "alice/begins", "releases");
    expect([answer.status, answer.json]).toEqual([
      200,
      { watch: { level: "releases", watchedAt: expect.any(String) } },
    ]);
    expect(await watchOf(bob, "alice/begins")).toEqual(answer.json.watch);
    const [watch, level] = [await watchOf(alice, "alice/begins"), await levelShownTo(alice, "alice/begins")];
    expect([watch.level, level]).toEqual(["all", "all"]);
    expect(await watchOf(await server.join("nosy"), "alice/begins")).toBe(null);
    const { json } = await bob.request("GET /prompts/alice/begins");
    expect([json.viewer.watchLevel, json.counts.watchers]).toEqual(["releases", 1]);
  });

  test("counts for each account that does not ignore the prompt, whatever others do", async () => {
    await make("counted");
    const [bob, ned] = [await server.join("bob"), await server.join("ned")];
    for (const [who, level, watchers] of [
      [bob, "all", 1],
      [ned, "ignore", 1],
      [ned, "releases", 2],
      [bob, "ignore", 1],
    ] as const) {
      await put(who, "alice/counted", level);
      expect((await alice.request("GET /prompts/alice/counted")).json.counts.watchers).toBe(watchers);
    }
  });

  test("of one's own prompt is not counted, whatever its level", async () => {
    await publish(alice, "own-count");
    for (const level of ["releases", "ignore", "all"]) {
      await put(alice, "alice/own-count", level);
      expect((await alice.request("GET /prompts/alice/own-count")).json.counts.watchers).toBe(0);
    }
    await alice.request("DELETE /prompts/alice/own-count/watch");
    expect((await alice.request("GET /prompts/alice/own-count")).json.counts.watchers).toBe(0);
  });

  test("keeps the time when it began, whatever its level becomes", async () => {
    await make("lasting");
    const bob = await server.join("bob");
    const { watchedAt } = (await put(bob, "alice/lasting", "releases")).json.watch;
    for (const level of ["releases", "all", "ignore", "ignore", "releases"]) {
      expect((await put(bob, "alice/lasting", level)).json).toEqual({ watch: { level, watchedAt } });
    }
  });

  test("ends with a request, and repeating that changes nothing", async () => {
    await make("ends");
    const bob = await server.join("bob");
    for (const level of ["all", "ignore"]) {
      await put(bob, "alice/ends", level);
      for (const _ of [1, 2]) {
        expect((await bob.request("DELETE /prompts/alice/ends/watch")).status).toBe(204);
        expect(await watchOf(bob, "alice/ends")).toBeNull();
        expect((await alice.request("GET /prompts/alice/ends")).json.counts.watchers).toBe(0);
      }
    }
  });

  test("of one's own prompt begins with the prompt, at the level all, which is the default again after a deletion", async () => {
    const { createdAt } = await make("own");
    const byDefault = { level: "all", watchedAt: createdAt };
    expect(await watchOf(alice, "alice/own")).toEqual(byDefault);
    expect(await levelShownTo(alice, "alice/own")).toBe("all");
    expect((await put(alice, "alice/own", "all")).json).toEqual({ watch: byDefault });
    expect((await put(alice, "alice/own", "ignore")).json.watch).toEqual({ ...byDefault, level: "ignore" });
    expect(await watchOf(alice, "alice/own")).toEqual({ ...byDefault, level: "ignore" });
    expect(await levelShownTo(alice, "alice/own")).toBe("ignore");
    await alice.request("DELETE /prompts/alice/own/watch");
    expect(await watchOf(alice, "alice/own")).toEqual(byDefault);
  });

  test.for(["some", "", null, 1, ["all"]])("refuses the level %j", async (level) => {
    const bob = await server.join("bob");
    const body = { level };
    const answer = await bob.request("PUT /prompts/alice/own/watch", { body });
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
  });

  test("has an ETag that begins with the prompt's revision, and If-Match compares only that", async () => {
    await make("tagged");
    const bob = await server.join("bob");
    const tag = async () => (await bob.request("GET /prompts/alice/tagged/watch")).headers.get("etag") ?? "";
    const before = await tag();
    expect(before).toMatch(/^W\/"2\./);
    await put(bob, "alice/tagged", "all");
    const after = await tag();
    expect(after).toMatch(/^W\/"2\./);
    expect(after).not.toBe(before);
    expect((await put(bob, "alice/tagged", "releases", { "if-match": before })).status).toBe(200);
    expect(await tag()).not.toBe(after);
    await alice.request("POST /prompts/alice/tagged/versions", {
      body: { files: filesOf("Hi") },
    });
    const stale = await put(bob, "alice/tagged", "ignore", { "if-match": after });
    expect([stale.status, stale.json.error.code]).toEqual([412, "precondition_failed"]);
  });
});

describe("an account with the maximum of watches", () => {
  let eager: Person;

  beforeAll(async () => {
    eager = await server.join("eager");
    const many = await server.join("many");
    await server.sql`
      with made as (
        insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
        select ${many.id}, 'p' || i, 'text', 'One of many', 'public', 'general', 'published'
        from generate_series(1, 5001) i returning id, slug
      )
      insert into watches (prompt_id, user_id, level)
      select id, ${eager.id}, 'all' from made where slug not in ('p5000', 'p5001')`;
  });

  test("gets only one of two at once, if one is left", async () => {
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${eager.id} for no key update`,
      ["p5000", "p5001"].map((slug) => () => put(eager, `many/${slug}`, "all")),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.json.error.code).toBe("quota_exceeded");
    expect(await rowsOf(eager)).toBe(5000);
  });

  test("can still change what it watches, and stop", async () => {
    expect((await put(eager, "many/p1", "ignore")).status).toBe(200);
    expect((await eager.request("DELETE /prompts/many/p2/watch")).status).toBe(204);
    await make("one-more");
    expect((await put(eager, "alice/one-more", "all")).status).toBe(200);
  });
});

describe("the list of what an account watches", () => {
  let carol: Person;

  beforeAll(async () => {
    carol = await server.join("carol");
    await make("mine-1", { visibility: "private" }, carol);
    await make("theirs-1");
    await put(carol, "alice/theirs-1", "releases");
    await make("mine-2", { publish: false }, carol);
    await make("theirs-2", { visibility: "unlisted" });
    await make("theirs-3");
    await put(carol, "alice/theirs-3", "all");
    await put(carol, "alice/theirs-2", "ignore");
    await put(carol, "carol/mine-1", "ignore");
  });

  const all = ["alice/theirs-2", "alice/theirs-3", "carol/mine-2", "alice/theirs-1", "carol/mine-1"];

  test.for([1, 2, 3, 100])("is newest first and has its own prompts, in pages of %i", async (limit) => {
    expect(await listOf(carol, "", limit)).toEqual(all);
  });

  test.for([
    ["all", ["alice/theirs-3", "carol/mine-2"]],
    ["releases", ["alice/theirs-1"]],
    ["ignore", ["alice/theirs-2", "carol/mine-1"]],
  ] as const)("at level %s holds %j", async ([level, refs]) => {
    expect(await listOf(carol, `&level=${level}`, 1)).toEqual(refs);
  });

  test("has the time and level of each watch", async () => {
    const { json } = await carol.request("GET /me/watches?level=releases");
    expect(json.items[0]).toMatchObject({
      ...(await watchOf(carol, "alice/theirs-1")),
      prompt: { ref: "alice/theirs-1", latest: { n: 1 }, viewer: { watchLevel: "releases" } },
    });
  });

  test("pages correctly through items of the same time", { tags: "long" }, async () => {
    const dora = await server.join("dora");
    for (const slug of ["a", "b", "c"]) {
      await make(`moment-${slug}`);
      await put(dora, `alice/moment-${slug}`, "all");
    }
    for (const slug of ["moment-d", "moment-e", "moment-f"]) await make(slug, {}, dora);
    await server.sql`update watches set watched_at = '2030-01-01' where user_id = ${dora.id}`;
    await server.sql`update prompts set created_at = '2030-01-01' where owner_id = ${dora.id}`;
    const refs = ["dora/moment-f", "dora/moment-e", "dora/moment-d"].concat([
      "alice/moment-c",
      "alice/moment-b",
      "alice/moment-a",
    ]);
    for (const limit of [1, 100]) expect(await listOf(dora, "", limit)).toEqual(refs);
  });

  test("has only the account's own watches", async () => {
    expect(await listOf(await server.join("stranger"))).toEqual([]);
  });

  test("leaves out private prompts, and has them again when they are public", async () => {
    const erin = await server.join("erin");
    await make("moody");
    await put(erin, "alice/moody", "releases");
    const turn = (visibility: string) =>
      server.sql`update prompts set visibility = ${visibility} where slug = 'moody'`;
    await turn("private");
    expect(await listOf(erin)).toEqual([]);
    for (const method of ["GET", "DELETE"]) {
      expect((await erin.request(`${method} /prompts/alice/moody/watch`)).status).toBe(404);
    }
    await turn("public");
    expect(await listOf(erin)).toEqual(["alice/moody"]);
    expect((await watchOf(erin, "alice/moody")).level).toBe("releases");
  });

  test("leaves out deleted prompts, one's own too", async () => {
    const frank = await server.join("frank");
    await make("doomed");
    await make("doomed-own", {}, frank);
    await put(frank, "alice/doomed", "all");
    await server.sql`update prompts set deleted_at = clock() where slug like 'doomed%'`;
    expect(await listOf(frank)).toEqual([]);
  });

  test("fills its pages with visible prompts", async () => {
    const gina = await server.join("gina");
    for (const slug of ["seen-1", "hidden-1", "hidden-2", "seen-2"]) {
      await make(slug);
      await put(gina, `alice/${slug}`, "all");
    }
    await server.sql`update prompts set visibility = 'private' where slug like 'hidden-%'`;
    const { json } = await gina.request("GET /me/watches?limit=2");
    expect(json.items.map(({ prompt }: { prompt: { slug: string } }) => prompt.slug)).toEqual([
      "seen-2",
      "seen-1",
    ]);
    expect(json.nextCursor).toBeNull();
  });

  test("refuses a cursor of another level", async () => {
    const { nextCursor } = (await carol.request("GET /me/watches?level=all&limit=1")).json;
    const answer = await carol.request(`GET /me/watches?level=ignore&cursor=${nextCursor}`);
    expect([answer.status, answer.json.error.code]).toEqual([400, "invalid_cursor"]);
  });
});
