import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, publish } from "../../../test/prompts.ts";
import { addTextHashes } from "../prompts/text-hash.sql.ts";

let server: TestServer;
let [alice, bob]: Person[] = [];
let count = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  count += 1;
  alice = await server.join(`alice-${count}`);
  bob = await server.join(`bob-${count}`);
});

/** The items of an import of texts, by the names of their files. */
async function found(texts: Record<string, string>) {
  const files = Object.entries(texts).map(([name, content]) => ({ path: `prompts/${name}.md`, content }));
  const { json } = await alice!.request("POST /imports", { body: { source: { type: "files", files } } });
  await server.workOff();
  const { items, status } = (await alice!.request(`GET /imports/${json.id}?limit=100`)).json;
  expect(status).toBe("ready");
  return Object.fromEntries(items.map((item: { slug: string }) => [item.slug, item]));
}
const text = (about: string) => `Review ${about} {{code}} of number ${count}.\n`;
const filesOf = (content: string) => [{ path: "PROMPT.md", content }];
const prompt = (person: Person | undefined, slug: string, options: object = {}) =>
  publish(person!, slug, { visibility: "public", ...options });

test.each(["private", "public"])(
  "an item that the account has already, as a %s prompt, starts unselected, and says which version it is",
  async (visibility) => {
    await prompt(alice, "mine", { files: filesOf(text("my")), visibility });
    const { same, other } = await found({
      same: `---\ntitle: x\n---\n\nreview  MY {{input}} of number ${count}.`,
      other: text("another"),
    });
    expect(same).toMatchObject({
      selected: false,
      duplicate: {
        level: "exact",
        matches: [{ type: "prompt", ref: `alice-${count}/mine`, versionNumber: 1, similarity: 1, own: true }],
      },
    });
    expect(other).toMatchObject({ selected: true, duplicate: { level: "none", matches: [] } });
    await alice!.request(`DELETE /prompts/alice-${count}/mine`);
    expect((await found({ same: text("my") }))["same"]).toMatchObject({
      selected: true,
      duplicate: { level: "none" },
    });
  },
);

test("a draft of an earlier import is named, until somebody changes it", async () => {
  await found({ a: text("a") });
  const { id } = (await alice!.request("GET /imports")).json.items[0];
  expect((await alice!.request(`POST /imports/${id}/commit`, { body: {} })).status).toBe(202);
  await server.workOff();
  const own = `alice-${count}/a`;
  const { a } = await found({ a: text("a") });
  expect(a).toMatchObject({ selected: false, duplicate: { level: "exact" } });
  expect(a.duplicate.matches).toEqual([{ type: "prompt", ref: own, similarity: 1, own: true }]);
  const draft = { files: filesOf("Other.") };
  expect((await alice!.request(`PUT /prompts/${own}/draft`, { body: draft })).status).toBe(200);
  expect((await found({ a: text("a") }))["a"].duplicate.level).toBe("none");
});

test("neither a draft of an earlier import is named once it was deleted, nor a text that was published before another one", {
  tags: "long",
}, async () => {
  await found({ deleted: text("deleted"), published: text("published") });
  const { id } = (await alice!.request("GET /imports")).json.items[0];
  expect((await alice!.request(`POST /imports/${id}/commit`, { body: {} })).status).toBe(202);
  await server.workOff();
  await alice!.request(`DELETE /prompts/alice-${count}/deleted`);
  await prompt(alice, "past", { files: filesOf(text("past")) });
  for (const slug of ["published", "past"]) expect((await commit(alice!, slug, "Other.")).status).toBe(201);
  const items = await found({ again: text("deleted"), more: text("published"), past: text("past") });
  for (const slug of ["again", "more", "past"])
    expect(items[slug]).toMatchObject({ selected: true, duplicate: { level: "none" } });
});

test("what says the same comes before what is like it, prompts before items, and own prompts before others", async () => {
  const long = Array.from({ length: 30 }, (_, n) => `Ask why part ${n} of ${count} is there.`).join(" ");
  await prompt(bob, "theirs", { files: filesOf(long) });
  await prompt(alice, "mine", { files: filesOf(long) });
  await prompt(alice, "like-it", { files: filesOf(long.replace("part 8", "piece 8")) });
  await prompt(alice, "less-like-it", {
    files: filesOf(long.replace("part 8", "a piece").replace("why", "who")),
  });
  const { a, b } = await found({ a: long, b: `${long}\n` });
  const matches = a.duplicate.matches.map(({ ref }: { ref: string }) => ref);
  const [alices, bobs] = [`alice-${count}`, `bob-${count}`];
  expect(matches).toEqual([
    `${alices}/mine`,
    `${bobs}/theirs`,
    b.id,
    `${alices}/like-it`,
    `${alices}/less-like-it`,
  ]);
});

test("an item names ten of what says the same", async () => {
  const names = Array.from({ length: 12 }, (_, nth) => `same-${nth}`);
  const items = Object.values(await found(Object.fromEntries(names.map((name) => [name, text("a")]))));
  expect(items.map(({ duplicate }) => duplicate.matches.length)).toEqual(names.map(() => 10));
});

test("a public prompt of others is named and stays selected; what is private, unlisted or past is not named", async () => {
  await prompt(bob, "shown", { files: filesOf(text("a")) });
  await prompt(bob, "hidden", { files: filesOf(text("a")), visibility: "private" });
  await prompt(bob, "unlisted", { files: filesOf(text("a")), visibility: "unlisted" });
  await prompt(bob, "changed", { files: filesOf(text("a")) });
  await bob!.request(`POST /prompts/bob-${count}/changed/versions`, { body: { files: filesOf(text("no")) } });
  await prompt(bob, "deleted", { files: filesOf(text("a")) });
  await bob!.request(`DELETE /prompts/bob-${count}/deleted`);
  const { a } = await found({ a: text("a") });
  expect(a).toMatchObject({ selected: true, duplicate: { level: "exact" } });
  expect(a.duplicate.matches).toEqual([
    { type: "prompt", ref: `bob-${count}/shown`, versionNumber: 1, similarity: 1, own: false },
  ]);
});

test("a hint follows its prompt: another name is shown, and nothing of what turned private or was deleted", async () => {
  await prompt(bob, "shown", { files: filesOf(text("a")) });
  await prompt(alice, "own", { files: filesOf(text("a")), visibility: "private" });
  const { a } = await found({ a: text("a") });
  const { id } = (await alice!.request("GET /imports")).json.items[0];
  const hint = async () => (await alice!.request(`GET /imports/${id}`)).json.items[0].duplicate;
  expect(await hint()).toEqual(a.duplicate);
  await alice!.request(`DELETE /prompts/alice-${count}/own`);
  await bob!.request(`PATCH /prompts/bob-${count}/shown`, { body: { slug: "renamed" } });
  expect((await hint()).matches).toMatchObject([{ ref: `bob-${count}/renamed` }]);
  await bob!.request(`PATCH /prompts/bob-${count}/renamed`, { body: { visibility: "private" } });
  expect(await hint()).toEqual({ level: "none", matches: [] });
});

test("items of one import that say the same, or nearly, name each other", async () => {
  const long = Array.from({ length: 30 }, (_, n) => `Say what step ${n} of ${count} does and why.`).join(" ");
  const other = Array.from({ length: 30 }, (_, n) => `Name owner ${n} of file ${count} and where.`).join(" ");
  const { a, b, near, far, first, second } = await found({
    a: long,
    b: long.toUpperCase(),
    near: long.replace("step 7", "part 7"),
    far: text("far"),
    first: other,
    second: other.replace("owner 7", "reader 7"),
  });
  const refs = (item: typeof a) => item.duplicate.matches.map(({ ref }: { ref: string }) => ref);
  expect([a, b, near, far].map(({ duplicate }) => duplicate.level)).toEqual([
    "exact",
    "exact",
    "near",
    "none",
  ]);
  for (const [item, like] of [
    [first, second],
    [second, first],
  ])
    expect(item.duplicate).toMatchObject({ level: "near", matches: [{ ref: like.id }] });
  expect(refs(a)).toEqual([b.id, near.id]);
  expect(refs(near).sort()).toEqual([a.id, b.id].sort());
  const [{ similarity }] = near.duplicate.matches;
  expect([similarity < 1, String(similarity).length <= "0.123".length]).toEqual([true, true]);
  expect(a.duplicate.matches).toMatchObject([
    { type: "item", own: true, similarity: 1 },
    { type: "item", own: true, similarity },
  ]);
  expect(near.duplicate.matches).toMatchObject([
    { type: "item", own: true, similarity },
    { type: "item", own: true, similarity },
  ]);
  expect([a, b, near].every(({ selected }) => selected)).toBe(true);
});

test("an item that says nearly the same as an own prompt says so, and stays selected; those of others are not compared", {
  tags: "long",
}, async () => {
  const long = Array.from({ length: 30 }, (_, n) => `Tell which part ${n} of ${count} fails and why.`).join(
    " ",
  );
  const own = { files: filesOf(long), visibility: "private" };
  await prompt(alice, "oldest", own);
  for (let nth = 0; nth < 5; nth++) await prompt(alice, `earlier-${nth}`);
  // The last one that the first statement reads.
  await prompt(alice, "fiftieth", own);
  for (let nth = 0; nth < 47; nth++) await prompt(alice, `later-${nth}`);
  const beside = { path: "notes.md", content: long };
  await prompt(alice, "chat", { files: [...filesOf("Of two\u2028lines\u2029."), beside] });
  await prompt(alice, "newest", own);
  await prompt(alice, "draft", { publish: false });
  await prompt(bob, "theirs", { files: filesOf(long) });
  const isAsLike = async () => {
    const { a } = await found({ a: long.replace("part 9", "piece 9") });
    expect(a).toMatchObject({ selected: true, duplicate: { level: "near" } });
    const refs = a.duplicate.matches.map(({ ref }: { ref: string }) => ref).sort();
    expect(refs).toEqual(["fiftieth", "newest", "oldest"].map((slug) => `alice-${count}/${slug}`));
    expect(a.duplicate.matches[0]).toEqual({
      type: "prompt",
      ref: expect.any(String),
      versionNumber: 1,
      similarity: expect.any(Number),
      own: true,
    });
  };
  await isAsLike();
  // Also where they were all made at once.
  await server.sql`update prompts set created_at = clock() where owner_id = ${alice!.id}`;
  await isAsLike();
});

// Apart, so that nothing which looks like a secret stands in this file.
const letters = "q7Rk2mXv9TzL4wBn8sHd3jYc6gPf1aUe5oKi";

test("an item with what looks like a secret starts unselected, is committed only by name, and says in which line", async () => {
  const { leaky } = await found({ leaky: `One\nUse ghp_${letters}.\n` });
  expect(leaky.selected).toBe(false);
  const { id } = (await alice!.request("GET /imports")).json.items[0];
  const commitOf = (body: object) => alice!.request(`POST /imports/${id}/commit`, { body });
  const refused = await commitOf({});
  expect([refused.status, refused.json.error.details[0].path]).toEqual([422, "/items"]);
  expect((await commitOf({ items: [{ id: leaky.id }] })).status).toBe(202);
  expect(leaky.warnings).toContain("PROMPT.md, line 2 looks like a secret (github token).");
  const { many } = await found({ many: `Use ghp_${letters}.\n`.repeat(21) });
  expect([many.warnings.length, many.warnings.at(-1)]).toEqual([21, "2 more."]);
});

test("a name that looks like a secret is one, too", async () => {
  const items = Object.values(await found({ [`ghp_${letters}`]: "One." }));
  expect(items).toMatchObject([{ selected: false }]);
  expect(items[0].warnings).toContain("The path looks like a secret (github token).");
});

test("versions that were committed before are read by the worker, in steps and by several processes", async () => {
  const beside = ["a.md", "z.md"].map((path) => ({ path, content: "Beside the entry" }));
  for (let nth = 0; nth < 25; nth++)
    await prompt(bob, `old-${nth}`, { files: [...beside, ...filesOf(text(`old ${nth}`))] });
  const hashes = () => server.sql`select id, text_hash from versions order by id`;
  const written = await hashes();
  expect(written.every(({ text_hash }) => text_hash.length === 32)).toBe(true);
  await server.sql`update versions set text_hash = null`;
  const [first] = written;
  await server.sql.begin(async (holder) => {
    await holder`select from versions where id = ${first?.["id"]} for no key update`;
    await Promise.all([addTextHashes(server.sql), addTextHashes(server.sql)]);
  });
  await addTextHashes(server.sql);
  expect(await hashes()).toEqual(written);
});
