import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { commitItems, failItems } from "./commit/commit-items.ts";
import { failImport } from "./detection/detect.ts";
import { expireImports } from "./expire.sql.ts";
import { selectImport } from "./imports.sql.ts";
import { releaseImport, takeImport } from "./work.sql.ts";

let server: TestServer;
let alice: Person;
let count = 0;

/** For this process alone. */
const ownFolder = mkdtempSync(join(tmpdir(), "promptreg-test-"));
const usual = process.env["TMPDIR"];

beforeAll(async () => {
  process.env["TMPDIR"] = ownFolder;
  server = await startTestServer({ connections: 9 });
});
afterAll(async () => {
  await server.stop();
  if (usual === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usual;
  rmSync(ownFolder, { recursive: true });
});
beforeEach(async () => {
  alice = await server.join(`alice-${++count}`);
});

const work = () => server.workOff();
const create = async (source: object) => (await alice.request("POST /imports", { body: { source } })).json;
const get = async (id: string) => (await alice.request(`GET /imports/${id}?limit=100`)).json;
/** An import whose prompts were found. */
async function found(source: object) {
  const { id } = await create(source);
  await work();
  return get(id);
}
const files = (contents: Record<string, string>) => ({
  type: "files",
  files: Object.entries(contents).map(([path, content]) => ({ path, content })),
});
const commit = (id: string, body: object = {}) => alice.request(`POST /imports/${id}/commit`, { body });
const rowsOf = async (id: string) => {
  const [row] = await server.sql`
    select (select count(*)::int from import_chunks where import_id = ${id}) as chunks,
      (select count(*)::int from import_items where import_id = ${id}) as items,
      (select count(*)::int from import_contents c join import_items m on m.id = c.item_id where m.import_id = ${id}) as contents`;
  return row;
};
const two = files({
  ".cursor/rules/style.mdc": "---\nalwaysApply: true\n---\n\nBe brief.\n",
  "prompts/sum.md": "Sum up {{text}}.\n",
});

describe("an import", () => {
  test("of a text becomes a private draft", async () => {
    const { id, status, source } = await create({ type: "paste", text: "# Sum up\n\nSum up {{text}}." });
    expect([status, source]).toEqual(["queued", { type: "paste", label: "# Sum up Sum up {{text}}." }]);
    await work();
    const ready = await get(id);
    expect(ready).toMatchObject({ status: "ready", counts: { detected: 1, selected: 1 }, error: null });
    expect(ready.items).toMatchObject([
      {
        detector: "paste",
        kind: "text",
        title: "Sum up",
        confidence: 0.8,
        selected: true,
        state: "detected",
      },
    ]);
    expect(ready.items[0].variables.map(({ name }: { name: string }) => name)).toEqual(["text"]);
    expect((await commit(id)).json.status).toBe("committing");
    await work();
    const done = await get(id);
    expect(done).toMatchObject({ status: "completed", counts: { committed: 1 } });
    const { ref } = done.items[0].result;
    const prompt = (await alice.request(`GET /prompts/${ref}`)).json;
    expect(prompt).toMatchObject({ title: "Sum up", status: "draft", visibility: "private" });
    expect((await alice.request(`GET /prompts/${ref}/draft`)).json.draft).toMatchObject({
      files: [{ path: "PROMPT.md" }],
      problems: [],
    });
    expect(await rowsOf(id)).toEqual({ chunks: 0, items: 1, contents: 0 });
  });

  test("of a text with a kind takes the text as the entry file of that kind", async () => {
    const text = `A lighthouse in {{season}}${" and again".repeat(300)}`;
    const { items, source } = await found({ type: "paste", kind: "media", text });
    expect(source.label).toBe(text.slice(0, 60));
    expect(items).toMatchObject([{ kind: "media", detector: "paste", files: [{ path: "PROMPT.md" }] }]);
    expect(items[0].preview).toBe(text.slice(0, 2_000));
    const refused = await found({ type: "paste", kind: "chat", text: "no JSON" });
    expect([refused.status, refused.items]).toEqual(["ready", []]);
    expect(refused.warnings).toHaveLength(1);
  });

  test("of a text with frontmatter is named by what follows it, and a skill is its text alone", async () => {
    const text = "---\nname: sums\ndescription: Sums up.\n---\n# Sum up\n\nSum up.";
    for (const kind of ["skill", "rule"]) {
      const { items } = await found({ type: "paste", kind, text });
      expect(items).toMatchObject([{ kind, detector: "paste", title: "Sum up", files: [{}] }]);
    }
    const { items } = await found({ type: "paste", text: "---\nlicense: MIT\n---\nSum up.\n\n## Then\n" });
    expect(items).toMatchObject([{ title: "Sum up. ## Then", slug: "sum-up-then" }]);
  });

  test("of a text takes names in double brackets as variables, and says so", async () => {
    const text = "---\ntopics: [[a]]\n---\n\nSum up [[text]] for {{reader}}, not `[[code]]`.";
    const [item] = (await found({ type: "paste", text })).items;
    expect(item.variables.map(({ name }: { name: string }) => name)).toEqual(["text", "reader"]);
    expect(item.warnings).toContain("What stood in [[ ]] is a variable now: {{text}}.");
    expect(item.preview).toContain("topics: [[a]]\n---\n\nSum up {{text}} for {{reader}}, not `[[code]]`.");
    const literal = await found({ type: "paste", text: "---\nvariables: false\n---\nSum up [[text]]." });
    expect(literal.items).toMatchObject([{ variables: [], preview: expect.stringContaining("[[text]]") }]);
    const rule = await found({ type: "paste", kind: "rule", text: "See [[style]]." });
    expect(rule.items).toMatchObject([{ preview: expect.stringContaining("[[style]]") }]);
  });

  test("of a JSON text finds what is in it, and takes any other as text", async () => {
    const chat = {
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hi" },
      ],
    };
    expect((await found({ type: "paste", text: JSON.stringify(chat) })).items).toMatchObject([
      { kind: "chat" },
    ]);
    for (const text of ["{not JSON}", '"Sum up [it]."'])
      expect((await found({ type: "paste", text })).items).toMatchObject([{ kind: "text" }]);
    expect((await found({ type: "paste", text: "要約" })).items).toMatchObject([{ slug: "text" }]);
    const { items, warnings } = await found({ type: "paste", text: '{"some": "data"}' });
    expect([items, warnings]).toEqual([
      [],
      [expect.stringMatching(/^The JSON is of no format that is known/)],
    ]);
  });

  test("of a text with frontmatter that cannot be read says why, without names that nobody sent", async () => {
    const { items, warnings } = await found({ type: "paste", text: "---\nglobs: **/*.vue\n---\nBe brief." });
    expect([items, warnings]).toEqual([
      [],
      [expect.stringMatching(/^PROMPT\.md: the frontmatter has an anchor/)],
    ]);
  });

  test("of files finds each prompt, with the files that come along, and says what was refused", async () => {
    const { items, warnings, source } = await found(
      files({
        "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF\n---\n\nRead it.\n",
        "skills/pdf/scripts/read.py": "print(1)\n",
        ".claude/agents/none.md": "---\nname: [\n---\n",
        "bad.prompt.yml": "messages: [",
      }),
    );
    expect(items).toMatchObject([
      {
        kind: "skill",
        slug: "pdf",
        sourcePath: "skills/pdf/SKILL.md",
        files: [{ path: "SKILL.md" }, { path: "scripts/read.py", size: 9 }],
      },
    ]);
    expect(warnings.join("\n")).toContain("bad.prompt.yml");
    expect(source.label).toBe("skills/pdf/SKILL.md and 3 more");
    expect((await create(files({ "a.md": "Hi." }))).source.label).toBe("a.md");
  });

  test("warns of each prompt whose license neither it nor a license file says", async () => {
    const text = "---\nname: x\ndescription: X\n---\nText";
    const { items } = await found(
      files({
        "a/SKILL.md": text.replace("---\nT", "license: MIT\n---\nT"),
        "b/LICENSE": "SPDX-License-Identifier: ISC",
        "b/SKILL.md": text,
        "c/SKILL.md": text,
        "d/LICENSE": "Ask us.",
        "d/SKILL.md": text,
      }),
    );
    const warned = "No license is known: all rights are reserved until the prompt names one.";
    const licenses = items.map(({ sourcePath, license, warnings }: Record<string, string | string[]>) => [
      sourcePath,
      license,
      warnings?.includes(warned),
    ]);
    expect(licenses).toEqual([
      ["a/SKILL.md", "MIT", false],
      ["b/SKILL.md", "ISC", false],
      ["c/SKILL.md", null, true],
      ["d/SKILL.md", null, true],
    ]);
  });

  test("comes after the one before it of the same account", async () => {
    const ids = [];
    for (const text of ["One.", "Two.", "Three."]) ids.push((await create({ type: "paste", text })).id);
    await work();
    for (const id of ids) expect((await get(id)).status).toBe("ready");
  });

  test("tells its owner when it is ready", async () => {
    const { id } = await found(two);
    const { json } = await alice.request("GET /notifications");
    expect(json.items).toMatchObject([
      {
        type: "import.ready",
        title: "Your import is ready: 2 prompts found",
        target: { type: "import", id },
      },
    ]);
  });

  test("finds 500 prompts at most, and says that there are more", { tags: "long" }, async () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`prompts/p${n}.md`, `Say ${n}.`]));
    const { counts, warnings } = await found(files(many));
    expect(counts.detected).toBe(500);
    expect(warnings[0]).toMatch(/more prompts than 500/);
  });

  test("refuses files outside of their folder, and content that is not base64", async () => {
    for (const path of ["../up.md", "/etc/passwd", "a\\b.md", "a/../b.md", "C:/x.md"]) {
      const answer = await alice.request("POST /imports", { body: { source: files({ [path]: "x" }) } });
      expect(codeOf(answer)).toEqual([422, "invalid_file"]);
    }
    const sendBase64 = (content: string) => {
      const source = { type: "files", files: [{ path: "a.md", content, encoding: "base64" }] };
      return alice.request("POST /imports", { body: { source } });
    };
    for (const content of ["%", "SGk", "SGkh=", "SGk=="])
      expect(codeOf(await sendBase64(content))).toEqual([422, "invalid_file"]);
    const many = files(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`../${n}.md`, "x"])));
    const { json: refused } = await alice.request("POST /imports", { body: { source: many } });
    expect(refused.error.details).toHaveLength(20);
    for (const content of ["SGk=", "SGkh"]) {
      const { status, json } = await sendBase64(content);
      expect(status).toBe(202);
      await alice.request(`POST /imports/${json.id}/cancel`);
    }
  });

  test("is listed newest first, by status, and for 90 days", async () => {
    const ids = [(await create(two)).id, (await create(two)).id];
    await alice.request(`POST /imports/${ids[0]}/cancel`);
    for (const limit of [1, 100])
      expect((await itemsOf(alice, `GET /imports?limit=${limit}`)).map(({ id }) => id)).toEqual(
        ids.toReversed(),
      );
    expect(await itemsOf(alice, "GET /imports?status=cancelled")).toMatchObject([{ id: ids[0] }]);
  });

  test("counts until it is finished: an account can have ten, also when two come at once", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create(two)));
    const body = { source: two };
    for (const status of ["uploading", "detecting", "ready", "committing", "queued"]) {
      await server.sql`update imports set status = ${status} where user_id = ${alice.id}`;
      expect(codeOf(await alice.request("POST /imports", { body }))).toEqual([409, "quota_exceeded"]);
    }
    await alice.request(`POST /imports/${made[0].id}/cancel`);
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${alice.id} for update`,
      [1, 2].map(() => () => alice.request("POST /imports", { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    await Promise.all(made.map(({ id }) => alice.request(`POST /imports/${id}/cancel`)));
  });
});

describe("a commit", () => {
  test("takes what is named, with changes, and skips the rest", async () => {
    const { id, items } = await found(two);
    const change = { slug: "brief", title: "Brief", tags: ["style"], visibility: "unlisted" };
    await commit(id, { items: [{ id: items[0].id, ...change }] });
    await work();
    const { counts, items: done } = await get(id);
    expect(counts).toMatchObject({ committed: 1, skipped: 1, failed: 0 });
    expect(done.map(({ state }: { state: string }) => state).sort()).toEqual(["committed", "skipped"]);
    const prompt = (await alice.request(`GET /prompts/${alice.handle}/brief`)).json;
    expect(prompt).toMatchObject({
      title: "Brief",
      tags: ["style"],
      visibility: "unlisted",
      status: "draft",
    });
    expect(await rowsOf(id)).toMatchObject({ contents: 0 });
  });

  test("takes ids of items as earlier releases made them", async () => {
    const { id, items } = await found(two);
    expect(items.map((item: { id: string }) => item.id.slice(0, 4))).toEqual(["iim_", "iim_"]);
    const before = items[0].id.replace("iim_", "imi_");
    await server.sql`
      insert into import_items (id, import_id, position, detector, kind, title, slug, tags, source_path, files, preview, variables,
        confidence, selected, warnings)
      select ${before}, import_id, 3, detector, kind, title, slug, tags, source_path, files, preview, variables,
        confidence, selected, warnings from import_items where id = ${items[0].id}`;
    await server.sql`
      insert into import_contents select ${before}, files from import_contents where item_id = ${items[0].id}`;
    expect((await commit(id, { items: [{ id: before }] })).status).toBe(202);
    await work();
    expect((await get(id)).items[2]).toMatchObject({ id: before, state: "committed" });
  });

  test("makes slugs that are free", async () => {
    for (const text of ["Sum up.", "Sum up well."]) {
      const { id } = await found(files({ "prompts/sum.md": text }));
      await commit(id);
      await work();
    }
    const { json } = await alice.request("GET /prompts?owner=me");
    expect(json.items.map(({ slug }: { slug: string }) => slug).sort()).toEqual(["sum", "sum-2"]);
  });

  test("goes on after an item that fails", async () => {
    const { id, items } = await found(two);
    const rule = items.find(({ kind }: { kind: string }) => kind === "rule");
    await commit(id, {
      items: items.map((item: { id: string }) => ({ id: item.id, ...(item === rule && { kind: "chat" }) })),
    });
    await work();
    const { status, counts, items: done } = await get(id);
    expect([status, counts.committed, counts.failed]).toEqual(["completed", 1, 1]);
    const failed = done.find((item: { id: string }) => item.id === rule.id);
    expect(failed).toMatchObject({ state: "failed", result: { error: { code: "invalid_entry" } } });
    expect(failed.result.error.message).toMatch(/^CHAT.json: it is not valid JSON/);
  });

  test("says of an item that breaks a rule which one, and in which field", async () => {
    const { id } = await found(two);
    await server.sql`update import_items set summary = repeat('x', 281) where import_id = ${id} and position = 1`;
    await commit(id);
    await work();
    const [{ state, result }] = (await get(id)).items;
    expect([state, result.error.code]).toEqual(["failed", "validation_failed"]);
    expect(result.error.message).toMatch(/^\/summary: .*280/);
  });

  test("fails the items for which an account has no room", async () => {
    const { id } = await found(two);
    await server.sql`
      insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
      select ${alice.id}, 'p' || n, 'text', 'P', 'private', 'general', 'draft' from generate_series(1, 4999) n`;
    await commit(id);
    await work();
    expect((await get(id)).counts).toMatchObject({ committed: 1, failed: 1 });
  });

  test("sent again changes nothing, and another one is refused", async () => {
    const { id, items } = await found(two);
    const [first, second] = items;
    const body = { items: [{ id: first.id, title: "One" }] };
    for (const _ of [1, 2]) expect((await commit(id, body)).status).toBe(202);
    await work();
    expect((await commit(id, body)).json).toMatchObject({ status: "completed", counts: { committed: 1 } });
    for (const other of [{}, { items: [{ id: first.id }] }, { items: [{ id: second.id }] }])
      expect(codeOf(await commit(id, other))).toEqual([409, "import_state"]);
    await work();
    expect((await alice.request("GET /prompts?owner=me")).json.items).toHaveLength(1);
  });

  test("sent again with a part of what was chosen is refused", async () => {
    const { id, items } = await found(two);
    await commit(id);
    expect(codeOf(await commit(id, { items: [{ id: items[0].id }] }))).toEqual([409, "import_state"]);
    await work();
  });

  test("of two at once, one counts", async () => {
    const { id, items } = await found(two);
    const bodies = items.map((item: { id: string }) => ({ items: [{ id: item.id }] }));
    const answers = await server.atOnce(
      (sql) => sql`select from imports where id = ${id} for update`,
      bodies.map((body: object) => () => commit(id, body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    await work();
    expect((await get(id)).counts).toMatchObject({ committed: 1, skipped: 1 });
  });

  test("names items of this import alone", async () => {
    const other = await found(two);
    const { id } = await found(two);
    const answer = await commit(id, { items: [{ id: other.items[0].id }] });
    expect(codeOf(answer)).toEqual([422, "validation_failed"]);
    expect(answer.json.error.details).toMatchObject([{ path: "/items/0/id", code: "custom" }]);
    const many = Array.from({ length: 21 }, (_, n) => ({ id: `iim_${"0".repeat(24)}${10 + n}` }));
    expect((await commit(id, { items: many })).json.error.details).toHaveLength(20);
    expect(await get(id)).toMatchObject({ status: "ready" });
  });

  test("needs an import that is ready", async () => {
    const { id } = await create(two);
    const { json, ...answer } = await commit(id);
    expect(codeOf({ ...answer, json })).toEqual([409, "import_state"]);
    expect(json.error.details).toMatchObject([{ path: "/status", code: "queued" }]);
  });

  test("that is interrupted goes on as a commit after a pause, and its attempts are counted anew", async () => {
    const { id } = await found(two);
    await commit(id);
    const take = () => takeImport(server.sql, { statuses: ["committing"], token: crypto.randomUUID() });
    const held = await take();
    expect(held).toMatchObject({ id, attempts: 1 });
    await releaseImport(server.sql, held!, { pauseSeconds: 60, isAttempt: false });
    // Nobody takes it while it pauses.
    expect(await take()).toBeNull();
    await server.sql`update imports set leased_until = clock() where id = ${id}`;
    expect(await get(id)).toMatchObject({ status: "committing", counts: { detected: 2 } });
    await work();
    expect(await get(id)).toMatchObject({ status: "completed", counts: { committed: 2 } });
  });

  test("fails no item by a failure of the database, and is tried again after a pause", async () => {
    const { id } = await found(two);
    await commit(id);
    const reported = vi.spyOn(server.context.failures, "report");
    await server.sql`alter table drafts rename to drafts_elsewhere`;
    await work();
    await server.sql`alter table drafts_elsewhere rename to drafts`;
    expect(reported.mock.calls).toEqual([[expect.any(Error), { operation: "import" }]]);
    reported.mockRestore();
    const [row] = await server.sql`
      select attempts, leased_until > clock() as "isPaused" from imports where id = ${id}`;
    expect(row).toEqual({ attempts: 1, isPaused: true });
    expect(await get(id)).toMatchObject({ status: "committing", counts: { committed: 0, failed: 0 } });
    await server.sql`update imports set leased_until = clock() where id = ${id}`;
    await work();
    expect(await get(id)).toMatchObject({ status: "completed", counts: { committed: 2, failed: 0 } });
  });

  test("is left to another process by one that lost its lease", async () => {
    const { id } = await found(two);
    await commit(id);
    const take = () => takeImport(server.sql, { statuses: ["committing"], token: crypto.randomUUID() });
    const late = (await take())!;
    await server.sql`update imports set leased_until = clock() where id = ${id}`;
    const held = (await take())!;
    await commitItems(server.context, late, { signal: new AbortController().signal });
    await failItems(server.context, late, "Too late.");
    expect(await get(id)).toMatchObject({ status: "committing", counts: { committed: 0, failed: 0 } });
    await failItems(server.context, held, "Given up.");
    expect(await get(id)).toMatchObject({ status: "completed", counts: { committed: 0, failed: 2 } });
    const [{ result }] = (await get(id)).items;
    expect(result).toEqual({ error: { code: "internal_error", message: "Given up." } });
    await server.sql`update imports set status = 'committing' where id = ${id}`;
    await commitItems(server.context, late, { signal: new AbortController().signal });
    expect((await get(id)).status).toBe("committing");
    await server.sql`update imports set status = 'completed' where id = ${id}`;
  });

  test("goes on where a process was killed, and makes nothing twice", async () => {
    const { id, items } = await found(two);
    await commit(id);
    await work();
    // As if the process had died after the first item.
    await server.sql`
      update imports set status = 'committing', lease_token = gen_random_uuid(), leased_until = clock() - interval '1 second',
        committed = 1 where id = ${id}`;
    await work();
    expect(await get(id)).toMatchObject({ status: "completed", counts: { committed: 1 } });
    expect((await alice.request("GET /prompts?owner=me")).json.items).toHaveLength(items.length);
  });
});

describe("the end of an import", () => {
  test("by a cancellation leaves nothing, and comes once", async () => {
    const { id } = await found(two);
    const answer = await alice.request(`POST /imports/${id}/cancel`);
    expect([answer.status, answer.json.status]).toEqual([200, "cancelled"]);
    expect(await rowsOf(id)).toEqual({ chunks: 0, items: 0, contents: 0 });
    expect((await alice.request(`POST /imports/${id}/cancel`)).text).toBe(answer.text);
    expect(codeOf(await commit(id))).toEqual([409, "import_state"]);
  });

  test("cannot be a cancellation once it is committed", async () => {
    const { id } = await found(two);
    await commit(id);
    expect(codeOf(await alice.request(`POST /imports/${id}/cancel`))).toEqual([409, "import_state"]);
    await work();
    expect(codeOf(await alice.request(`POST /imports/${id}/cancel`))).toEqual([409, "import_state"]);
  });

  test("of a commit and a cancellation at once, one counts", async () => {
    const { id } = await found(two);
    const answers = await server.atOnce(
      (sql) => sql`select from imports where id = ${id} for update`,
      [() => commit(id), () => alice.request(`POST /imports/${id}/cancel`)],
    );
    const { status } = await get(id);
    expect(answers.map((answer) => answer.status)).toEqual(status === "cancelled" ? [409, 200] : [202, 409]);
  });

  test("of a failure and a cancellation is the one that came first", async () => {
    const { id } = await create(two);
    const token = crypto.randomUUID();
    const held = (await takeImport(server.sql, { statuses: ["queued"], token }))!;
    expect(held.id).toBe(id);
    await server.atOnce(
      (sql) => sql`update imports set status = 'cancelled', lease_token = null where id = ${id}`,
      [() => failImport({ ...server.context }, held, "Too late.") as Promise<never>],
    );
    expect(await get(id)).toMatchObject({ status: "cancelled", error: null });
  });

  test("comes by itself after 7 days, and after 90 it is forgotten", async () => {
    const { id, readyAt, expiresAt } = await found(two);
    expect(Date.parse(expiresAt) - Date.parse(readyAt)).toBe(7 * 24 * 3_600_000);
    await server.sql`update imports set expires_at = clock() where id = ${id}`;
    await work();
    expect(await get(id)).toMatchObject({ status: "expired", items: [] });
    expect(await rowsOf(id)).toEqual({ chunks: 0, items: 0, contents: 0 });
    expect(codeOf(await commit(id))).toEqual([409, "import_state"]);
    const [old] = await server.sql<{ id: string }[]>`
      insert into imports (id, user_id, source, status, expires_at)
      select first_id('imp', clock() - interval '91 days') || '0000000000000000', user_id, source, 'completed', expires_at
      from imports where id = ${id} returning id`;
    expect(await itemsOf(alice, "GET /imports")).toMatchObject([{ id }]);
    await work();
    expect(codeOf(await alice.request(`GET /imports/${old?.id}`))).toEqual([404, "not_found"]);
  });

  test("does not come by itself while it is being committed", async () => {
    const { id } = await found(two);
    await server.sql`update imports set expires_at = clock() where id = ${id}`;
    // Nor is an old one forgotten that somebody holds.
    await server.sql`
      insert into imports (id, user_id, source, status, expires_at)
      select first_id('imp', clock() - interval '91 days') || '1111111111111111', user_id, source, 'completed', expires_at
      from imports where id = ${id}`;
    await server.sql.begin(async (holder) => {
      await holder`update imports set status = 'committing' where id = ${id}`;
      await holder`select from imports where id like '%1111111111111111' for update`;
      await server.sql.begin(async (sql) => {
        await sql`set local lock_timeout = '1s'`;
        await expireImports(sql);
      });
    });
    expect((await get(id)).status).toBe("committing");
    await work();
  });

  test("leaves no folders, and those of killed processes are deleted, of which nobody heard for an hour", async () => {
    for (const [name, minutes] of [
      ["killed", 61],
      ["working", 59],
    ] as const) {
      const at = new Date(Date.now() - minutes * 60_000);
      mkdirSync(join(ownFolder, `promptreg-import-${name}`));
      utimesSync(join(ownFolder, `promptreg-import-${name}`), at, at);
    }
    await found(two);
    expect(readdirSync(ownFolder)).toEqual(["promptreg-import-working"]);
    rmSync(join(ownFolder, "promptreg-import-working"), { recursive: true });
  });

  test("is none of the server's, where no temporary folder can be made", async () => {
    process.env["TMPDIR"] = join(ownFolder, "missing");
    try {
      await expect(work()).resolves.toBeUndefined();
    } finally {
      process.env["TMPDIR"] = ownFolder;
    }
  });

  test("is a failure with a sentence, if work on it broke off too often", async () => {
    const { id } = await create(two);
    const again = () => server.sql`update imports set leased_until = clock() where id = ${id}`;
    process.env["TMPDIR"] = join(ownFolder, "missing");
    try {
      for (const _ of [1, 2]) {
        await work();
        expect((await get(id)).status).toBe("queued");
        await again();
      }
      await work();
    } finally {
      process.env["TMPDIR"] = ownFolder;
    }
    expect((await get(id)).status).toBe("failed");
  });

  test("is a failure too, if the processes that worked on it were killed three times", async () => {
    const begun = async (attempts: number) => {
      const { id } = await create(two);
      await server.sql`
        update imports set status = 'detecting', attempts = ${attempts}, leased_until = clock() - interval '1 second'
        where id = ${id}`;
      await work();
      return id as string;
    };
    expect((await get(await begun(2))).status).toBe("ready");
    const id = await begun(3);
    expect(await get(id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^Something went wrong/),
    });
    expect(await rowsOf(id)).toEqual({ chunks: 0, items: 0, contents: 0 });
  });

  test("that is not kept any more is not shown to a read that found it just before", async () => {
    const { id } = await create(two);
    expect(JSON.parse(await selectImport(server.sql, id))).toMatchObject({ id });
    await server.sql`delete from imports where id = ${id}`;
    await expect(selectImport(server.sql, id)).rejects.toMatchObject({ code: "not_found" });
  });

  test("comes when its time is over, and not a millisecond earlier", async () => {
    const { id, expiresAt } = await found(two);
    const statusAt = async (ms: number) => {
      await server.setClock(new Date(Date.parse(expiresAt) + ms).toISOString());
      await expireImports(server.sql);
      return (await get(id)).status;
    };
    expect([await statusAt(-1), await statusAt(0)]).toEqual(["ready", "expired"]);
  });
});
