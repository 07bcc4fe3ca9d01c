import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commitFiles, done, type Files, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { promptIdAt } from "../prompts/index.ts";
import { selectLikely } from "./requests.sql.ts";
import { changeRequestTarget } from "./target.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
let moderator: Person;
let prompts = 0;
let slug: string;
/** The address of the prompt of a test. */
let ref: string;
let at: string;

const base: Files = { "PROMPT.md": "Hello", "a.md": "a" };
const changed: Files = { "PROMPT.md": "Hello", "a.md": "b\nc" };

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
  moderator = await server.join("mod", { role: "moderator" });
});
beforeEach(async () => {
  slug = `p-${++prompts}`;
  ref = `alice/${slug}`;
  at = `/prompts/${ref}/change-requests`;
  await publishFiles(alice, slug, base);
});
afterAll(() => server.stop());

const create = (who: Person, source: object, fields: object = {}) =>
  who.request(`POST ${at}`, { body: { source, title: "Better", ...fields } });
const patch = (who: Person, n: number, body: object) => who.request(`PATCH ${at}/${n}`, { body });
const openOnes = async () => (await done(alice, `GET /prompts/${ref}`)).counts.openChangeRequests;
const numbersOf = async (query = "", who = carol) =>
  (await itemsOf(who, `GET ${at}?${query}`)).map(({ n }) => n);

describe("a proposal", () => {
  test("of somebody else's fork reads none of its files", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    const [owner = "", name = ""] = fork.split("/");
    const likelyFor = ({ id }: Person) =>
      selectLikely(server.sql, {
        sourceId: promptIdAt(server.sql, { owner, slug: name }),
        n: undefined,
        callerId: id,
      });
    expect(await likelyFor(bob)).toMatchObject({ sourceN: 1 });
    expect(await likelyFor(carol)).toBeNull();
  });

  test("says what changes, and what each viewer can do with it", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    await commitFiles(bob, fork, changed);
    const { status, json, headers } = await create(bob, { ref: fork }, { body: "Because." });
    const url = `${server.url}/api/v1${at}/1`;
    expect([status, headers.get("location")]).toEqual([201, url]);
    const none = { canEdit: false, canClose: false, canReopen: false, canMerge: false };
    expect(json).toMatchObject({
      n: 1,
      url,
      title: "Better",
      body: "Because.",
      state: "open",
      author: { handle: "bob" },
      target: { ref, baseVersionNumber: 1, mergedVersionNumber: null },
      source: { ref: fork, versionNumber: 2 },
      stats: { files: 1, additions: 2, deletions: 1 },
      mergeable: "clean",
      conflicts: [],
      viewer: { ...none, canEdit: true, canClose: true },
    });
    const viewerOf = async (who: Person) => (await done(who, `GET ${at}/1`)).viewer;
    expect(await viewerOf(alice)).toEqual({ ...none, canClose: true, canMerge: true });
    expect(await viewerOf(moderator)).toEqual({ ...none, canClose: true });
    expect(await viewerOf(carol)).toEqual(none);
    expect((await server.anonymous(`GET ${at}/1`)).json).not.toHaveProperty("viewer");
  });

  test("shows its difference from the base, as JSON and as a patch", async () => {
    const { n } = await proposeFiles(bob, ref, changed);
    await commitFiles(alice, ref, { ...base, "a.md": "alice's" });
    const diff = await done(carol, `GET ${at}/${n}/diff`);
    expect(diff).toMatchObject({
      from: { n: 1 },
      to: { n: 2 },
      stats: { files: 1, additions: 2, deletions: 1 },
    });
    const headers = { accept: "text/x-diff" };
    const { text } = await server.anonymous(`GET ${at}/${n}/diff?path=a.md&context=0`, { headers });
    expect(text).toContain("-a\n");
    expect(text).toContain("+b\n+c\n");
  });

  test("needs a fork of the prompt, and a version that can be used", async () => {
    const other = await publishFiles(bob, `${slug}-other`, base);
    expect(codeOf(await create(bob, { ref: other.ref }))).toEqual([422, "not_a_fork"]);
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    expect(codeOf(await create(carol, { ref: fork }))).toEqual([403, "forbidden"]);
    expect(codeOf(await create(bob, { ref: fork, versionNumber: 2 }))).toEqual([404, "not_found"]);
    await commitFiles(bob, fork, changed);
    for (const version of [2, 1]) {
      await done(bob, `POST /prompts/${fork}/versions/${version}/yank`, {});
      const source = { ref: fork, versionNumber: version };
      expect(codeOf(await create(bob, source))).toEqual([409, "version_yanked"]);
    }
    expect(codeOf(await create(bob, { ref: fork }))).toEqual([409, "version_yanked"]);
    // A fork of a fork belongs to the fork.
    const { ref: second } = await done(carol, `POST /prompts/bob/${slug}-other/forks`, {});
    expect(codeOf(await create(carol, { ref: second }))).toEqual([422, "not_a_fork"]);
  });

  test("is the only open one of its fork, and numbers have no gaps", async () => {
    const { fork, n } = await proposeFiles(bob, ref, changed);
    expect(codeOf(await create(bob, { ref: fork }))).toEqual([409, "change_request_exists"]);
    await done(bob, `PATCH ${at}/${n}`, { state: "closed" });
    expect((await create(bob, { ref: fork })).json.n).toBe(2);
    expect((await done(bob, `GET ${at}/1`)).viewer.canReopen).toBe(false);
    const { status, json } = await patch(bob, 1, { state: "open" });
    expect([status, json.error]).toMatchObject([
      409,
      {
        code: "change_request_exists",
        message: "This fork has the open change request 2. Edit or close that one.",
      },
    ]);
    expect(await openOnes()).toBe(1);
  });

  test("can be sent twice at once, and is made once", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    await commitFiles(bob, fork, changed);
    const lock = (sql: TestServer["sql"]) => sql`select from prompts where slug = ${slug} for update`;
    const answers = await server.atOnce(lock, [
      () => create(bob, { ref: fork }),
      () => create(bob, { ref: fork }),
    ]);
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [409, "change_request_exists"],
    ]);
    expect([await openOnes(), await numbersOf()]).toEqual([1, [1]]);
  });

  test.for(["!", "!1", "a/b", "a/b!0", "a/b!01", "a/b@1!2", "c@a/b!1", "a/b!1!2", "a/b!99999999999"])(
    "is not named by %s",
    (text) => {
      expect(() => changeRequestTarget.parse?.(text)).toThrow(SyntaxError);
    },
  );

  test("is named by the address of its prompt and its number", () => {
    expect(changeRequestTarget.parse?.("a/b!12")).toEqual({ owner: "a", slug: "b", n: 12 });
  });
});

describe("an edit", () => {
  test("is its author's: the owner and moderators can close and reopen", async () => {
    const { fork, n } = await proposeFiles(bob, ref, changed);
    await commitFiles(bob, fork, { ...changed, "new.md": "New" });
    for (const who of [alice, moderator]) {
      for (const body of [
        { title: "Mine" },
        { body: "Mine" },
        { versionNumber: 1 },
        { state: "closed", title: "x" },
      ])
        expect(codeOf(await patch(who, n, body))).toEqual([403, "forbidden"]);
      for (const state of ["closed", "open"]) expect((await patch(who, n, { state })).json.state).toBe(state);
    }
    expect(codeOf(await patch(carol, n, { state: "closed" }))).toEqual([403, "forbidden"]);
    const { json } = await patch(bob, n, { title: "New", body: "Why", versionNumber: 3 });
    expect(json).toMatchObject({
      title: "New",
      body: "Why",
      source: { versionNumber: 3 },
      stats: { files: 2, additions: 3, deletions: 1 },
    });
    expect((await patch(bob, n, { body: null, versionNumber: 2 })).json).toMatchObject({
      body: null,
      stats: { files: 1, additions: 2, deletions: 1 },
    });
  });

  test("that closes says who did it, counts once, can be repeated, and is audited if a moderator did it", async () => {
    const { n } = await proposeFiles(bob, ref, changed);
    expect(await openOnes()).toBe(1);
    const closed = (await patch(alice, n, { state: "closed" })).json;
    expect(closed).toMatchObject({
      state: "closed",
      closedBy: { handle: "alice" },
      mergeable: null,
      conflicts: [],
      viewer: { canClose: false, canReopen: true },
    });
    expect((await patch(bob, n, { state: "closed" })).json).toMatchObject({
      closedBy: { handle: "alice" },
      updatedAt: closed.updatedAt,
    });
    expect((await patch(bob, n, { title: "Later" })).json).toMatchObject({
      closedAt: closed.closedAt,
      closedBy: { handle: "alice" },
    });
    expect(await openOnes()).toBe(0);
    expect((await patch(bob, n, { state: "open" })).json).toMatchObject({ closedAt: null, closedBy: null });
    expect(await openOnes()).toBe(1);
    await patch(moderator, n, { state: "closed" });
    const audited = await server.sql`
      select u.handle, a.data from audit_log a join users u on u.id = a.actor_id join prompts p on p.id = a.target
      where p.slug = ${slug} and a.action = 'change_request.moderate'`;
    expect(audited).toEqual([{ handle: "mod", data: { n, state: "closed" } }]);
  });

  test("is refused after the merge, of a version that cannot be used, and for an old ETag", async () => {
    const { fork, n } = await proposeFiles(bob, ref, changed);
    expect(codeOf(await patch(bob, n, { versionNumber: 9 }))).toEqual([404, "not_found"]);
    await done(bob, `POST /prompts/${fork}/versions/1/yank`, {});
    expect(codeOf(await patch(bob, n, { versionNumber: 1 }))).toEqual([409, "version_yanked"]);
    const { headers } = await bob.request(`GET ${at}/${n}`);
    await done(bob, `PATCH ${at}/${n}`, { title: "First" });
    const stale = { body: { title: "Second" }, headers: { "if-match": headers.get("etag") ?? "" } };
    expect(codeOf(await bob.request(`PATCH ${at}/${n}`, stale))).toEqual([412, "precondition_failed"]);
    await done(alice, `POST ${at}/${n}/merge`, {});
    for (const body of [{ title: "Late" }, { state: "closed" }, { state: "open" }])
      expect(codeOf(await patch(bob, n, body))).toEqual([409, "change_request_merged"]);
    expect((await patch(bob, n, { title: "First" })).status).toBe(200);
    expect(await openOnes()).toBe(0);
  });

  test("finds nothing to propose after the fork was deleted", async () => {
    const { fork, n } = await proposeFiles(bob, ref, changed);
    await done(bob, `DELETE /prompts/${fork}`);
    expect(codeOf(await patch(bob, n, { versionNumber: 1 }))).toEqual([409, "source_unavailable"]);
    expect((await patch(bob, n, { title: "Gone" })).json).toMatchObject({
      title: "Gone",
      source: { ref: null },
    });
    expect(codeOf(await create(bob, { ref: fork }))).toEqual([410, "gone"]);
  });
});

test("a list has the open ones, newest first, and others if they are asked for", async () => {
  for (const who of [bob, carol, bob, carol]) await proposeFiles(who, ref, changed);
  await done(bob, `PATCH ${at}/1`, { state: "closed" });
  await done(alice, `POST ${at}/2/merge`, {});
  await server.setClock("2035-01-01T00:00:00Z");
  await done(bob, `PATCH ${at}/3`, { title: "Updated" });
  expect(await numbersOf()).toEqual([4, 3]);
  for (const limit of [1, 2, 100]) {
    expect(await numbersOf(`limit=${limit}&state=all`)).toEqual([4, 3, 2, 1]);
    expect((await numbersOf(`limit=${limit}&state=all&sort=updated`))[0]).toBe(3);
    expect((await numbersOf(`limit=${limit}&state=all&sort=updated`)).sort()).toEqual([1, 2, 3, 4]);
  }
  await server.sql`
    update change_requests set updated_at = clock() where target_id in (select id from prompts where slug = ${slug})`;
  expect(await numbersOf("limit=1&state=all&sort=updated")).toEqual([4, 3, 2, 1]);
  expect([await numbersOf("state=closed"), await numbersOf("state=merged")]).toEqual([[1], [2]]);
  expect(await numbersOf("state=all&author=bob")).toEqual([3, 1]);
  expect(await numbersOf("author=nobody-there")).toEqual([]);
  expect(codeOf(await carol.request(`GET ${at}?author=me`))).toEqual([422, "validation_failed"]);
  const [item] = await itemsOf(alice, `GET ${at}`);
  expect(item).toEqual(await done(alice, `GET ${at}/4`));
});

describe("a fork that is not public", () => {
  const word = "xyzzyplugh";

  test.for([
    ["private", 404],
    ["unlisted", 200],
  ] as const)("that is %s shows nothing but its difference to others", async ([visibility, found]) => {
    const { fork, n } = await proposeFiles(bob, ref, changed, { slug: `${word}-${visibility}`, visibility });
    expect((await done(bob, `GET ${at}/${n}`)).source.ref).toBe(fork);
    for (const who of [alice, carol, moderator, server.nobody]) {
      const paths = [
        `${at}/${n}`,
        at,
        `${at}/${n}/diff`,
        `/prompts/${ref}`,
        `/prompts?forkOf=${ref}`,
        "/users/bob",
      ];
      for (const path of paths) {
        const { status, text } = await who.request(`GET ${path}`);
        expect([path, status, text.includes(word)]).toEqual([path, 200, false]);
      }
      expect((await who.request(`GET ${at}/${n}`)).json.source).toEqual({ ref: null, versionNumber: 2 });
      expect((await who.request(`GET /prompts/${fork}`)).status).toBe(found);
    }
    const { json } = await alice.request(`POST ${at}/${n}/merge`, { body: {} });
    expect(JSON.stringify(json)).not.toContain(word);
    const bodies = await server.sql<{ body: string }[]>`
      select convert_from(e.body, 'UTF8') as body from events e join prompts p on p.id = e.prompt_id
      where p.slug = ${slug}`;
    expect(bodies.map(({ body }) => body.includes(word))).toEqual(bodies.map(() => false));
    expect((await done(alice, `GET /prompts/${ref}`)).counts.forks).toBe(0);
  });

  test("of a prompt that turns private is out of its owner's sight, too", async () => {
    const { n } = await proposeFiles(bob, ref, changed);
    await done(alice, `PATCH /prompts/${ref}`, { visibility: "private" });
    for (const route of [`GET ${at}`, `GET ${at}/${n}`, `GET ${at}/${n}/diff`])
      expect(codeOf(await bob.request(route))).toEqual([404, "not_found"]);
    expect(codeOf(await patch(bob, n, { title: "Still" }))).toEqual([404, "not_found"]);
    await done(alice, `PATCH /prompts/${ref}`, { visibility: "public" });
    await done(alice, `DELETE /prompts/${ref}`);
    expect(codeOf(await bob.request(`GET ${at}/${n}`))).toEqual([410, "gone"]);
  });

  test("is written nothing about if a proposal is refused", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, { visibility: "private" });
    await done(alice, `PATCH /prompts/${ref}`, { visibility: "private" });
    expect(codeOf(await create(bob, { ref: fork }))).toEqual([404, "not_found"]);
    const requests =
      await server.sql`select from change_requests c join prompts p on p.id = c.target_id where slug = ${slug}`;
    expect(requests.count).toBe(0);
  });
});
