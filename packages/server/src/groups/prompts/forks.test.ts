import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commitFiles, done, filesIn, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { flushCounters } from "../../kernel/changes/counters.ts";
import { trend } from "./fork.sql.ts";
import { rankPrompts } from "./rank.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const files = { "PROMPT.md": "Hello {{name}}", "notes/a.md": "a", "scripts/run.sh!": "echo" };
const publish = (slug: string, fields: object = {}) => publishFiles(alice, slug, files, fields);
const fork = (who: Person, slug: string, body: object = {}) =>
  who.request(`POST /prompts/alice/${slug}/forks`, { body });
const forksOf = async (slug: string) => (await done(alice, `GET /prompts/alice/${slug}`)).counts.forks;
const turn = (who: Person, slug: string, visibility: string) =>
  done(who, `PATCH /prompts/${who.handle}/${slug}`, { visibility });
const sourceIn = async (who: Person | null, ref: string) =>
  (await (who ? who.request(`GET /prompts/${ref}`) : server.anonymous(`GET /prompts/${ref}`))).json
    .forkedFrom;

describe("a fork", () => {
  test("is a prompt of the caller's own, with a version of its source as version 1", async () => {
    const about = { summary: "A greeting", tags: ["hello"], license: "MIT", rating: "sensitive" };
    const { id } = await publish("whole", { ...about, labels: ["production"] });
    await commitFiles(alice, "alice/whole", { "PROMPT.md": "Bye" });
    const { status, json, headers } = await fork(bob, "whole", { versionNumber: 1 });
    expect([status, headers.get("location")]).toEqual([201, `${server.url}/api/v1/prompts/bob/whole`]);
    expect(json).toMatchObject({
      ref: "bob/whole",
      title: "whole",
      ...about,
      visibility: "public",
      status: "published",
      latestVersion: 1,
      labels: {},
      forkedFrom: { ref: "alice/whole", versionNumber: 1 },
      version: {
        n: 1,
        author: { handle: "bob" },
        origin: { type: "fork", promptId: id, versionNumber: 1 },
        variables: [{ name: "name" }],
        warnings: [],
      },
      viewer: { isOwner: true, canFork: true },
    });
    expect(await filesIn(bob, "bob/whole")).toEqual(files);
    const original = await done(bob, "GET /prompts/alice/whole/versions/1");
    expect(json.version.contentHash).toBe(original.contentHash);
  });

  test("is of the latest version, and found by its words", async () => {
    await publish("latest");
    await commitFiles(alice, "alice/latest", { "PROMPT.md": "plughish" });
    const { json } = await fork(bob, "latest");
    expect(json.forkedFrom.versionNumber).toBe(2);
    const found = await itemsOf(bob, "GET /prompts?q=plughish");
    expect(found.map(({ ref }) => ref).sort()).toEqual(["alice/latest", "bob/latest"]);
  });

  test("comes before its source in a search when enough people star it, and not earlier", async () => {
    await publish("equal", { summary: "xyzzyish" });
    const { json: forked } = await fork(bob, "equal");
    const found = async (stars: number) => {
      await server.sql`update prompts set hourly_stars = ${stars} where id = ${forked.id}`;
      return (await itemsOf(bob, "GET /prompts?q=xyzzyish")).map(({ ref }) => ref);
    };
    expect(await found(11)).toEqual(["alice/equal", "bob/equal"]);
    expect(await found(12)).toEqual(["bob/equal", "alice/equal"]);
  });

  test("has a slug that is free, unless one is sent", async () => {
    await publish("taken");
    const slugs = [];
    for (const _ of [1, 2, 3]) slugs.push((await fork(bob, "taken")).json.slug);
    await done(bob, "DELETE /prompts/bob/taken-2");
    slugs.push((await fork(bob, "taken")).json.slug, (await fork(alice, "taken")).json.slug);
    expect(slugs).toEqual(["taken", "taken-2", "taken-3", "taken-4", "taken-2"]);
    expect(codeOf(await fork(bob, "taken", { slug: "taken-3" }))).toEqual([409, "slug_taken"]);
    expect((await fork(bob, "taken", { slug: "chosen" })).json.slug).toBe("chosen");
    // The address that it had leads to it still.
    await done(bob, "PATCH /prompts/bob/taken-4", { slug: "moved" });
    expect((await fork(bob, "taken")).json.slug).toBe("taken-5");
    const long = `${"x".repeat(61)}-yz`;
    await publish(long);
    expect((await fork(alice, long)).json.slug).toBe(`${"x".repeat(61)}-2`);
  });

  test("looks for a free slug a thousand times", async () => {
    await publish("wanted");
    await server.sql`
      insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
      select ${bob.id}, case n when 1 then 'wanted' else 'wanted-' || n end, 'text', 'One of many', 'private', 'general', 'draft'
      from generate_series(1, 999) n`;
    expect((await fork(bob, "wanted")).json.slug).toBe("wanted-1000");
    expect(codeOf(await fork(bob, "wanted"))).toEqual([409, "slug_taken"]);
  });

  test("is refused of a draft, of yanked versions, and of what is not there", async () => {
    await publish("draft", { publish: false });
    expect(codeOf(await fork(alice, "draft"))).toEqual([409, "prompt_not_published"]);
    await publish("yanked");
    await commitFiles(alice, "alice/yanked", { "PROMPT.md": "Two" });
    await done(alice, "POST /prompts/alice/yanked/versions/2/yank", {});
    expect(codeOf(await fork(bob, "yanked", { versionNumber: 2 }))).toEqual([409, "version_yanked"]);
    expect((await fork(bob, "yanked")).json.forkedFrom.versionNumber).toBe(1);
    await done(alice, "POST /prompts/alice/yanked/versions/1/yank", {});
    expect(codeOf(await fork(bob, "yanked"))).toEqual([409, "version_yanked"]);
    expect((await done(bob, "GET /prompts/alice/yanked")).viewer.canFork).toBe(false);
    expect(codeOf(await fork(bob, "yanked", { versionNumber: 9 }))).toEqual([404, "not_found"]);
    await publish("secret", { visibility: "private" });
    expect(codeOf(await fork(bob, "secret"))).toEqual([404, "not_found"]);
  });

  test("starts with the visibility of its source, and can have another one", async () => {
    await publish("mine", { visibility: "private" });
    expect((await fork(alice, "mine")).json.visibility).toBe("private");
    expect((await fork(alice, "mine", { visibility: "unlisted" })).json.visibility).toBe("unlisted");
  });

  test("counts while it is public, in lists too", async () => {
    await publish("counted");
    await fork(bob, "counted", { visibility: "private" });
    expect(await forksOf("counted")).toBe(0);
    await turn(bob, "counted", "public");
    await fork(bob, "counted", { slug: "counted-too" });
    expect(await forksOf("counted")).toBe(2);
    const list = async () =>
      (await itemsOf(alice, "GET /prompts?forkOf=alice/counted")).map(({ slug }) => slug);
    expect((await list()).sort()).toEqual(["counted", "counted-too"]);
    await turn(bob, "counted", "unlisted");
    expect([await forksOf("counted"), await list()]).toEqual([1, ["counted-too"]]);
    await turn(bob, "counted", "private");
    await done(bob, "DELETE /prompts/bob/counted");
    expect(await forksOf("counted")).toBe(1);
    await done(bob, "DELETE /prompts/bob/counted-too");
    expect(await forksOf("counted")).toBe(0);
  });

  test("names its source to everybody while that is public, and otherwise to those who know it", async () => {
    await publish("named");
    await fork(bob, "named");
    const seen = async () => Promise.all([null, bob, alice].map((who) => sourceIn(who, "bob/named")));
    const named = { ref: "alice/named", versionNumber: 1 };
    expect(await seen()).toEqual([named, named, named]);
    await turn(alice, "named", "unlisted");
    expect(await seen()).toEqual([null, named, named]);
    await turn(alice, "named", "private");
    expect(await seen()).toEqual([null, null, named]);
    await turn(alice, "named", "public");
    await done(alice, "DELETE /prompts/alice/named");
    expect(await seen()).toEqual([null, null, null]);
  });

  test("lets its source trend, five times what it weighs, once for each person", async () => {
    await server.setClock("2030-01-15T12:00:00Z");
    await publish("trending");
    await fork(bob, "trending");
    await fork(bob, "trending");
    await fork(alice, "trending");
    const carol = await server.join("carol");
    await fork(carol, "trending", { visibility: "private" });
    await flushCounters(server.sql);
    await rankPrompts(server.sql, [trend]);
    const trending = async () =>
      (
        await server.sql`select trending from prompts where slug = 'trending' and owner_id = ${alice.id}`
      )[0]?.["trending"];
    expect(await trending()).toBeCloseTo(5 / 2 ** 1.5);
    await server.setClock("2030-01-29T12:00:00Z");
    await rankPrompts(server.sql, [trend]);
    expect(await trending()).toBe(0);
  });
});

test("two forks at once have two slugs", async () => {
  await publish("at-once");
  const lock = (sql: TestServer["sql"]) => sql`select from users where id = ${bob.id} for update`;
  const answers = await server.atOnce(lock, [() => fork(bob, "at-once"), () => fork(bob, "at-once")]);
  expect(answers.map(({ json }) => json.slug).sort()).toEqual(["at-once", "at-once-2"]);
});

test("a fork of a prompt that turns private came before that, or is none", async () => {
  await publish("closing");
  const lock = (sql: TestServer["sql"]) => sql`select from prompts where slug = 'closing' for update`;
  const [, forked] = await server.atOnce(lock, [
    () => alice.request("PATCH /prompts/alice/closing", { body: { visibility: "private" } }),
    () => fork(bob, "closing"),
  ]);
  const { status } = await bob.request("GET /prompts/bob/closing");
  expect([
    [201, 200],
    [404, 404],
  ]).toContainEqual([forked?.status, status]);
});
