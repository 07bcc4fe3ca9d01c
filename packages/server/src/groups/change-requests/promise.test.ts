import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commitFiles, done, type Files, filesIn, proposeFiles, publishFiles } from "../../../test/forks.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let prompts = 0;
/** The address of the prompt of a test. */
let ref: string;

const base: Files = { "PROMPT.md": "Hello {{name}}", "a.md": "a" };

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
beforeEach(async () => {
  const slug = `p-${++prompts}`;
  ref = `alice/${slug}`;
  await publishFiles(alice, slug, base);
});
afterAll(() => server.stop());

const at = (n: number) => `/prompts/${ref}/change-requests/${n}`;
const edit = (n: number, body: object) => bob.request(`PATCH ${at(n)}`, { body });

describe("a merge of what was read", () => {
  test("is refused if the author proposes another version meanwhile", async () => {
    const { fork, n } = await proposeFiles(bob, ref, { ...base, "a.md": "good" });
    const etag = (await alice.request(`GET ${at(n)}`)).headers.get("etag") ?? "";
    await commitFiles(bob, fork, { ...base, "a.md": "evil" });
    await edit(n, { versionNumber: 3 });
    const merge = (headers: Record<string, string>) =>
      alice.request(`POST ${at(n)}/merge`, { body: {}, headers });
    expect(codeOf(await merge({ "if-match": etag }))).toEqual([412, "precondition_failed"]);
    expect(await filesIn(alice, ref)).toEqual(base);
    const now = (await alice.request(`GET ${at(n)}`)).headers.get("etag") ?? "";
    expect((await merge({ "if-match": now })).status).toBe(200);
  });

  test("is shown before: what the latest version becomes, with the proposed file of both", async () => {
    const { n } = await proposeFiles(bob, ref, {
      "PROMPT.md": "Hello {{name}} and {{friend}}",
      "a.md": "bob",
    });
    await commitFiles(alice, ref, { ...base, "a.md": "alice", "b.md": "b" });
    const preview = await done(alice, `GET ${at(n)}/diff?against=latest`);
    expect([preview.from, preview.to, preview.variables.added]).toEqual([{ n: 2 }, { n: 3 }, ["friend"]]);
    expect(preview.files.map(({ path }: { path: string }) => path)).toEqual(["PROMPT.md", "a.md"]);
    const [{ lines }] = preview.files[1].hunks;
    expect(lines.map(({ type, text }: Record<string, string>) => [type, text])).toEqual([
      ["del", "alice"],
      ["add", "bob"],
    ]);
    await done(alice, `POST ${at(n)}/merge`, { strategy: "theirs" });
    const merged = await done(alice, `GET /prompts/${ref}/diff/2..3`);
    expect(merged).toEqual(preview);
    expect(codeOf(await alice.request(`GET ${at(n)}/diff?against=latest`))).toEqual([
      409,
      "change_request_merged",
    ]);
  });

  test("has another ETag when the prompt moved on", async () => {
    const { n } = await proposeFiles(bob, ref, { ...base, "a.md": "bob" });
    const read = (etag = "") =>
      alice.request(`GET ${at(n)}/diff?against=latest`, { headers: { "if-none-match": etag } });
    const etag = (await read()).headers.get("etag") ?? "";
    expect((await read(etag)).status).toBe(304);
    await commitFiles(alice, ref, { ...base, "PROMPT.md": "Hello {{friend}}" });
    const { status, json } = await read(etag);
    // The entry file stays the prompt's own, and so do its variables.
    expect([status, json.variables]).toMatchObject([200, { added: [], removed: [], changed: [] }]);
  });
});

describe("a proposal whose author merged the prompt's newer version", () => {
  test("is clean once it says so, and shows what it changes of that version", async () => {
    const { fork, n } = await proposeFiles(bob, ref, { ...base, "a.md": "a\nbob\n" });
    await commitFiles(alice, ref, { ...base, "a.md": "a\nalice\n" });
    expect((await done(bob, `GET ${at(n)}`)).mergeable).toBe("conflict");
    await commitFiles(bob, fork, { ...base, "a.md": "a\nalice\nbob\n" });
    const { status, json } = await edit(n, { versionNumber: 3, baseVersionNumber: 2 });
    expect([status, json]).toMatchObject([
      200,
      { mergeable: "clean", target: { baseVersionNumber: 2 }, stats: { additions: 1, deletions: 0 } },
    ]);
    expect((await done(bob, `GET ${at(n)}/diff`)).stats).toEqual(json.stats);
    await done(alice, `POST ${at(n)}/merge`, {});
    expect(await filesIn(alice, ref)).toEqual({ ...base, "a.md": "a\nalice\nbob\n" });
  });

  test("shows what it undoes, if it did not merge that", async () => {
    const { fork } = await proposeFiles(bob, ref, { ...base, "a.md": "bob" });
    await done(bob, `PATCH ${at(1)}`, { state: "closed" });
    await commitFiles(alice, ref, { ...base, "b.md": "alice" });
    const body = { source: { ref: fork }, title: "Again", baseVersionNumber: 2 };
    const { n, mergeable } = await done(bob, `POST /prompts/${ref}/change-requests`, body);
    const { files } = await done(alice, `GET ${at(n)}/diff`);
    expect([mergeable, files.map(({ path, status }: Record<string, string>) => [path, status])]).toEqual([
      "clean",
      [
        ["a.md", "modified"],
        ["b.md", "removed"],
      ],
    ]);
  });

  test("says so also if the number of the base stays, and once", async () => {
    const { n } = await proposeFiles(bob, ref, { ...base, "a.md": "bob" });
    const etag = async () => (await bob.request(`GET ${at(n)}`)).headers.get("etag");
    const before = await etag();
    expect((await edit(n, { baseVersionNumber: 1 })).status).toBe(200);
    const declared = await etag();
    expect(declared).not.toBe(before);
    expect((await edit(n, { baseVersionNumber: 1 })).status).toBe(200);
    expect(await etag()).toBe(declared);
  });

  test("keeps its base when it is closed and reopened, and needs a version that there is", async () => {
    const { fork, n } = await proposeFiles(bob, ref, { ...base, "a.md": "bob" });
    await commitFiles(alice, ref, { ...base, "a.md": "alice" });
    expect(codeOf(await edit(n, { baseVersionNumber: 3 }))).toEqual([404, "not_found"]);
    await commitFiles(bob, fork, { ...base, "a.md": "alice and bob" });
    for (const body of [{ versionNumber: 3, baseVersionNumber: 2 }, { state: "closed" }, { state: "open" }])
      expect((await edit(n, body)).json.target.baseVersionNumber).toBe(2);
    expect((await edit(n, { baseVersionNumber: 1 })).json.target.baseVersionNumber).toBe(1);
  });
});

describe("a proposal that waits for its prompt", () => {
  const holding = (sql: TestServer["sql"]) =>
    sql`select from prompts p join users u on u.id = p.owner_id where u.handle || '/' || p.slug = ${ref} for update of p`;
  /** The versions of a fork, as SQL changes them. */
  const versionsOf = (sql: TestServer["sql"], fork: string) => sql`
    select v.id from versions v join prompts p on p.id = v.prompt_id where p.slug = ${fork.split("/")[1] ?? ""}
      and p.owner_id = ${bob.id}`;
  const stats = { files: 1, additions: 2, deletions: 1 };

  test("was compared before", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    await commitFiles(bob, fork, { ...base, "a.md": "b\nc" });
    /** What is compared while it is held lacks a file. */
    const send = (n: number, route: string, body: object) =>
      server.atOnce(
        async (sql) => {
          await holding(sql);
          await sql`
            delete from version_files where path = 'a.md' and version_id in (
              select id from versions where n = ${n} and id in (${versionsOf(sql, fork)}))`;
        },
        [() => bob.request(route, { body })],
      );
    const proposed = { source: { ref: fork }, title: "Better" };
    const [made] = await send(2, `POST /prompts/${ref}/change-requests`, proposed);
    await commitFiles(bob, fork, { ...base, "a.md": "d\ne" });
    const [edited] = await send(3, `PATCH ${at(1)}`, { versionNumber: 3 });
    expect([made?.json, edited?.json]).toMatchObject([
      { source: { versionNumber: 2 }, stats },
      { source: { versionNumber: 3 }, stats },
    ]);
  });

  test("is compared anew if another version is the latest then", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    await commitFiles(bob, fork, { ...base, "a.md": "b\nc" });
    await commitFiles(bob, fork, { ...base, "a.md": "d", "b.md": "e" });
    const body = { source: { ref: fork }, title: "Better" };
    const [made] = await server.atOnce(
      async (sql) => {
        await holding(sql);
        await sql`update versions set yanked_at = clock() where n = 3 and id in (${versionsOf(sql, fork)})`;
        await sql`update prompts set latest_version = 2 where id in (
          select prompt_id from versions where id in (${versionsOf(sql, fork)}))`;
      },
      [() => bob.request(`POST /prompts/${ref}/change-requests`, { body })],
    );
    expect(made?.json).toMatchObject({ source: { versionNumber: 2 }, stats });
  });
});

describe("a proposal", () => {
  test("changes something", async () => {
    const { ref: fork } = await done(bob, `POST /prompts/${ref}/forks`, {});
    const propose = () =>
      bob.request(`POST /prompts/${ref}/change-requests`, {
        body: { source: { ref: fork }, title: "Nothing" },
      });
    expect(codeOf(await propose())).toEqual([409, "no_changes"]);
    await commitFiles(bob, fork, { ...base, "a.md": "bob" });
    const { n } = (await propose()).json;
    expect(codeOf(await edit(n, { versionNumber: 1 }))).toEqual([409, "no_changes"]);
    const second = await propose();
    expect([codeOf(second), second.json.error.message]).toEqual([
      [409, "change_request_exists"],
      `This fork has the open change request ${n}. Edit or close that one.`,
    ]);
    await done(alice, `POST ${at(n)}/merge`, {});
    expect(codeOf(await propose())).toEqual([409, "no_changes"]);
  });

  test("is one of twenty a day, so that nobody floods an owner", async () => {
    const { fork, n } = await proposeFiles(bob, ref, { ...base, "a.md": "bob" });
    await done(bob, `PATCH ${at(n)}`, { state: "closed" });
    const propose = () =>
      bob.request(`POST /prompts/${ref}/change-requests`, {
        body: { source: { ref: fork }, title: "Again" },
      });
    for (let nth = 2; nth <= 20; nth++) {
      expect((await propose()).status).toBe(201);
      await done(bob, `PATCH ${at(nth)}`, { state: "closed" });
    }
    expect(codeOf(await propose())).toEqual([409, "quota_exceeded"]);
    const carol = await server.join("carol");
    expect((await proposeFiles(carol, ref, { ...base, "a.md": "carol" })).n).toBe(21);
    // The clock stands still, so that it is a day to the moment.
    await server.setClock("2035-01-01T00:00:00.000Z");
    await server.sql`update change_requests set created_at = clock() - interval '24 hours'`;
    expect((await propose()).status).toBe(201);
  });
});
