import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commitFiles, done, type Files, filesIn, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let prompts = 0;
let slug: string;
/** The address of the prompt of a test. */
let ref: string;

const base: Files = { "PROMPT.md": "Hello", "a.md": "a", "b.md": "b" };

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
beforeEach(async () => {
  slug = `p-${++prompts}`;
  ref = `alice/${slug}`;
  await publishFiles(alice, slug, base);
});
afterAll(() => server.stop());

const propose = (files: Files) => proposeFiles(bob, ref, files);
const merge = (n: number, body: object = {}) =>
  alice.request(`POST /prompts/${ref}/change-requests/${n}/merge`, { body });
const get = (n: number, who = alice) => done(who, `GET /prompts/${ref}/change-requests/${n}`);
const promiseOf = async (n: number) => {
  const { mergeable, conflicts } = await get(n);
  return [mergeable, conflicts];
};
const lockPrompt = (sql: TestServer["sql"]) => sql`select from prompts where slug = ${slug} and id in (
  select p.id from prompts p join users u on u.id = p.owner_id where u.handle = 'alice') for update`;

describe("a merge", () => {
  test("is the next version, with the changes of both sides, and says where it is from", async () => {
    const { fork, n } = await propose({ ...base, "a.md": "bob's" });
    await commitFiles(alice, ref, { ...base, "b.md": "alice's" });
    expect(await promiseOf(n)).toEqual(["clean", []]);
    const { status, json } = await merge(n);
    expect([status, json.changeRequest]).toMatchObject([
      200,
      {
        n,
        state: "merged",
        mergeable: null,
        target: { ref, baseVersionNumber: 1, mergedVersionNumber: 3 },
        source: { ref: fork, versionNumber: 2 },
        mergedBy: { handle: "alice" },
        viewer: { canEdit: false, canClose: false, canReopen: false, canMerge: false },
      },
    ]);
    expect(json.version).toMatchObject({
      n: 3,
      message: "Better",
      author: { handle: "alice" },
      origin: { type: "merge", versionNumber: 2, changeRequest: n },
    });
    expect(await filesIn(alice, ref)).toEqual({ "PROMPT.md": "Hello", "a.md": "bob's", "b.md": "alice's" });
  });

  test("has the variables of the entry file that it takes, and search finds its words", async () => {
    const { n } = await propose({ ...base, "PROMPT.md": "Hello {{name}} xyzzy" });
    await commitFiles(alice, ref, { ...base, "b.md": "alice's" });
    const { version } = (await merge(n, { message: "Thanks" })).json;
    expect([version.message, version.variables.map(({ name }: { name: string }) => name)]).toEqual([
      "Thanks",
      ["name"],
    ]);
    const { items } = await done(alice, "GET /prompts?q=xyzzy&owner=alice");
    expect(items.map((item: { slug: string }) => item.slug)).toEqual([slug]);
  });

  test("of deleted, moved and executable files is as proposed", async () => {
    const { n } = await propose({ "PROMPT.md": "Hello", "moved.md": "a", "scripts/run.sh!": "echo" });
    await commitFiles(alice, ref, { ...base, "PROMPT.md": "Hello {{you}} plugh" });
    const { version } = (await merge(n)).json;
    expect(await filesIn(alice, ref)).toEqual({
      "PROMPT.md": "Hello {{you}} plugh",
      "moved.md": "a",
      "scripts/run.sh!": "echo",
    });
    // The entry file is the prompt's own, and so are its variables and the words that search finds.
    expect(version.variables.map(({ name }: { name: string }) => name)).toEqual(["you"]);
    const { items } = await done(alice, "GET /prompts?q=plugh&owner=alice");
    expect(items.map((item: { slug: string }) => item.slug)).toEqual([slug]);
  });

  test("has the digest that a commit of the same files has", async () => {
    const files = { ...base, "a.md": "bob's", "é.md": "é" };
    const { n } = await propose(files);
    const { version } = (await merge(n)).json;
    const other = await publishFiles(alice, `${slug}-same`, files);
    expect(version.contentHash).toBe(other.version.contentHash);
  });

  test("is refused with the files that both changed, unless theirs are wanted", async () => {
    const { n } = await propose({ "PROMPT.md": "Hello", "a.md": "bob's", "b.md": "bob's", "c.md": "bob's" });
    await commitFiles(alice, ref, { "PROMPT.md": "Hi", "a.md": "alice's", "c.md": "alice's" });
    expect(await promiseOf(n)).toEqual(["conflict", ["a.md", "b.md", "c.md"]]);
    const { status, json } = await merge(n);
    expect([status, json.error]).toMatchObject([
      409,
      {
        code: "merge_conflict",
        message: "The prompt changed a.md, and the proposal changed it differently. 2 more in details.",
        details: [
          { path: "a.md", message: "The prompt changed a.md, and the proposal changed it differently." },
          { path: "b.md", message: "The prompt deleted b.md, and the proposal changed it differently." },
          { path: "c.md", message: "The prompt added c.md, and the proposal added it differently." },
        ],
      },
    ]);
    await commitFiles(alice, ref, { "PROMPT.md": "Hi", "a.md": "alice's", "c.md": "bob's" });
    expect((await merge(n)).json.error.message).toMatch(/differently\. 1 more in details\.$/);
    expect((await merge(n, { strategy: "theirs" })).status).toBe(200);
    expect(await filesIn(alice, ref)).toEqual({
      "PROMPT.md": "Hi",
      "a.md": "bob's",
      "b.md": "bob's",
      "c.md": "bob's",
    });
  });

  test("never breaks the rules of paths, whatever the strategy", async () => {
    const { n } = await propose({ ...base, "read.md": "bob's" });
    await commitFiles(alice, ref, { ...base, "READ.md": "alice's" });
    expect(await promiseOf(n)).toEqual(["conflict", ["read.md"]]);
    for (const strategy of ["auto", "theirs"])
      expect(codeOf(await merge(n, { strategy }))).toEqual([409, "merge_conflict"]);
  });

  test("keeps what mergeable promised only as long as the prompt stays as it is", async () => {
    const { n } = await propose({ ...base, "a.md": "bob's" });
    const { headers } = await alice.request(`GET /prompts/${ref}/change-requests/${n}`);
    expect(await promiseOf(n)).toEqual(["clean", []]);
    await commitFiles(alice, ref, { ...base, "a.md": "alice's" });
    const again = { headers: { "if-none-match": headers.get("etag") ?? "" } };
    expect((await alice.request(`GET /prompts/${ref}/change-requests/${n}`, again)).status).toBe(200);
    expect(codeOf(await merge(n, { expectedVersionNumber: 1 }))).toEqual([409, "version_conflict"]);
    expect((await merge(n, { expectedVersionNumber: 2 })).json.error).toMatchObject({
      code: "merge_conflict",
      message: "The prompt changed a.md, and the proposal changed it differently.",
    });
  });

  test("is refused if the prompt has these changes already", async () => {
    const files = { ...base, "a.md": "the same" };
    const { n } = await propose(files);
    await commitFiles(alice, ref, files);
    expect(await promiseOf(n)).toEqual(["clean", []]);
    expect(codeOf(await merge(n))).toEqual([409, "no_changes"]);
  });

  test("is the owner's alone, and needs an open change request", async () => {
    const { n } = await propose({ ...base, "a.md": "bob's" });
    expect(
      codeOf(await bob.request(`POST /prompts/${ref}/change-requests/${n}/merge`, { body: {} })),
    ).toEqual([403, "forbidden"]);
    await done(bob, `PATCH /prompts/${ref}/change-requests/${n}`, { state: "closed" });
    expect(codeOf(await merge(n))).toEqual([409, "change_request_closed"]);
    await done(bob, `PATCH /prompts/${ref}/change-requests/${n}`, { state: "open" });
    await merge(n);
    expect(codeOf(await merge(n))).toEqual([409, "change_request_merged"]);
    expect(codeOf(await merge(99))).toEqual([404, "not_found"]);
  });

  test("is refused while the proposed version is yanked, and after the fork was deleted", async () => {
    const { fork, n } = await propose({ ...base, "a.md": "bob's" });
    await done(bob, `POST /prompts/${fork}/versions/2/yank`, {});
    expect((await get(n)).viewer.canMerge).toBe(false);
    expect(codeOf(await merge(n))).toEqual([409, "source_unavailable"]);
    await done(bob, `DELETE /prompts/${fork}/versions/2/yank`);
    await done(bob, `DELETE /prompts/${fork}`);
    expect(await get(n, bob)).toMatchObject({ source: { ref: null, versionNumber: 2 }, mergeable: "clean" });
    expect(codeOf(await merge(n))).toEqual([409, "source_unavailable"]);
    expect((await done(alice, `GET /prompts/${ref}/change-requests/${n}/diff`)).files).toHaveLength(1);
  });

  test("into a prompt of which every version is yanked is the proposal as it is", async () => {
    const { n } = await propose({ "PROMPT.md": "Hello", "a.md": "bob's" });
    await commitFiles(alice, ref, { ...base, "a.md": "withdrawn" });
    for (const version of [1, 2]) await done(alice, `POST /prompts/${ref}/versions/${version}/yank`, {});
    expect(await promiseOf(n)).toEqual(["clean", []]);
    // The newest version is the last one, though it was yanked.
    expect((await merge(n, { expectedVersionNumber: 2 })).json.version.n).toBe(3);
    expect(await filesIn(alice, ref)).toEqual({ "PROMPT.md": "Hello", "a.md": "bob's" });
  });
});

describe("a further change request of one fork", () => {
  test("does not conflict with the one before, and shows only what is new", async () => {
    const first = { ...base, "a.md": "bob's first" };
    const { fork, n } = await propose(first);
    await commitFiles(alice, ref, { ...base, "b.md": "alice's" });
    await merge(n);
    await commitFiles(bob, fork, { ...first, "a.md": "bob's second" });
    const second = await done(bob, `POST /prompts/${ref}/change-requests`, {
      source: { ref: fork },
      title: "More",
    });
    expect(second).toMatchObject({
      n: 2,
      target: { baseVersionNumber: 3 },
      stats: { files: 1, additions: 1, deletions: 1 },
      mergeable: "clean",
    });
    await merge(2);
    expect(await filesIn(alice, ref)).toEqual({
      "PROMPT.md": "Hello",
      "a.md": "bob's second",
      "b.md": "alice's",
    });
    await commitFiles(bob, fork, { ...first, "a.md": "bob's third" });
    const third = { source: { ref: fork }, title: "And more" };
    expect(await done(bob, `POST /prompts/${ref}/change-requests`, third)).toMatchObject({
      target: { baseVersionNumber: 4 },
      mergeable: "clean",
    });
  });

  test("gives one that is reopened after it another base", async () => {
    const { fork, n } = await propose({ ...base, "a.md": "bob's" });
    await done(bob, `PATCH /prompts/${ref}/change-requests/${n}`, { state: "closed" });
    await commitFiles(bob, fork, { ...base, "a.md": "bob's", "b.md": "bob's" });
    await done(bob, `POST /prompts/${ref}/change-requests`, { source: { ref: fork }, title: "More" });
    await merge(2);
    const reopen = (body: object) =>
      bob.request(`PATCH /prompts/${ref}/change-requests/${n}`, { body: { state: "open", ...body } });
    // A closed one keeps its own.
    const renamed = await done(bob, `PATCH /prompts/${ref}/change-requests/${n}`, { title: "Closed" });
    expect(renamed).toMatchObject({ target: { baseVersionNumber: 1 }, source: { versionNumber: 2 } });
    expect(codeOf(await reopen({ versionNumber: 3 }))).toEqual([409, "no_changes"]);
    await commitFiles(bob, fork, { ...base, "a.md": "bob's", "b.md": "bob's", "c.md": "bob's" });
    const { json } = await reopen({ versionNumber: 4 });
    expect(json).toMatchObject({ target: { baseVersionNumber: 2 }, stats: { files: 1 } });
  });
});

describe("at the same time", () => {
  test("two merges of one change request make one version", async () => {
    const { n } = await propose({ ...base, "a.md": "bob's" });
    const answers = await server.atOnce(lockPrompt, [() => merge(n), () => merge(n)]);
    expect(answers.map(codeOf).sort()).toEqual([
      [200, undefined],
      [409, "change_request_merged"],
    ]);
    expect((await done(alice, `GET /prompts/${ref}`)).latestVersion).toBe(2);
  });

  test("two change requests with the same file are not both merged", async () => {
    const first = await propose({ ...base, "a.md": "1" });
    const second = await proposeFiles(bob, ref, { ...base, "a.md": "2" }, { slug: `${slug}-other` });
    const answers = await server.atOnce(lockPrompt, [() => merge(first.n), () => merge(second.n)]);
    expect(answers.map(codeOf).sort()).toEqual([
      [200, undefined],
      [409, "merge_conflict"],
    ]);
  });

  test("a merge and a commit come one after the other, and neither is lost", async () => {
    const { n } = await propose({ ...base, "a.md": "bob's" });
    const files = [
      { path: "PROMPT.md", content: "Hello" },
      { path: "a.md", content: "a" },
      { path: "b.md", content: "alice's" },
    ];
    const [merged, committed] = await server.atOnce(lockPrompt, [
      () => merge(n, { expectedVersionNumber: 1 }),
      () => alice.request(`POST /prompts/${ref}/versions`, { body: { files, baseVersionNumber: 1 } }),
    ]);
    const codes = [codeOf(merged!), codeOf(committed!)];
    expect([
      [
        [200, undefined],
        [409, "version_conflict"],
      ],
      [
        [409, "version_conflict"],
        [201, undefined],
      ],
    ]).toContainEqual(codes);
    expect((await done(alice, `GET /prompts/${ref}`)).latestVersion).toBe(2);
  });
});
