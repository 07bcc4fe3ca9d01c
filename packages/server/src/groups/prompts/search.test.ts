import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(() => server.stop());

async function create(slug: string, content: string): Promise<{ id: string; at: string }> {
  const { id } = await publish(alice, slug, { title: "Old title", files: filesOf(content) });
  return { id, at: `/prompts/alice/${slug}` };
}
async function find(q: string): Promise<string[]> {
  const { json } = await server.anonymous(`GET /prompts?q=${encodeURIComponent(q)}`);
  return json.items.map(({ slug }: { slug: string }) => slug);
}
const documentOf = async (id: string) =>
  (await server.sql`select document::text from search_documents where id = ${id}`)[0];

test("words are found in title, summary, tags and file, in compounds and next to punctuation", async () => {
  const { at } = await create(
    "compounds",
    "Use state-of-the-art `snake_case`, at https://giraffe.example/zebra?x=1.",
  );
  for (const [q, body] of [
    ["penguin", { summary: "About <penguins>" }],
    ["sea-lion", { tags: ["sea-lion"] }],
  ] as const) {
    await alice.request(`PATCH ${at}`, { body });
    expect([q, await find(q)]).toEqual([q, ["compounds"]]);
  }
  for (const q of ["state-of-the-art", "art", "snake", "zebra", "giraffe.example"])
    expect(await find(q)).toEqual(["compounds"]);
  expect(await find("zebra -penguin")).toEqual([]);
  expect(await find('"old title"')).toEqual(["compounds"]);
});

test("a new title is found, and the file's words still are", async () => {
  const { at } = await create("titled", "elephant");
  await alice.request(`PATCH ${at}`, { body: { title: "Antelope" } });
  expect([await find("antelope"), await find("elephant")]).toEqual([["titled"], ["titled"]]);
});

test("a search with a filter finds what an edit made fit, and no longer what it made unfit", async () => {
  const { at } = await create("filtered", "ibex");
  const filtered = async (filter: string) =>
    (await server.anonymous(`GET /prompts?q=ibex&${filter}`)).json.items.length;
  const counts = async () => [
    await filtered("license=MIT"),
    await filtered("tag=alps"),
    await filtered("tag=alps&tag=goat&kind=text&kind=chat&owner=alice"),
    await filtered("kind=chat"),
    await filtered("owner=nobody"),
  ];
  expect(await counts()).toEqual([0, 0, 0, 0, 0]);
  await alice.request(`PATCH ${at}`, { body: { license: "MIT" } });
  expect(await counts()).toEqual([1, 0, 0, 0, 0]);
  await alice.request(`PATCH ${at}`, { body: { license: "Apache-2.0", tags: ["goat", "alps"] } });
  expect(await counts()).toEqual([0, 1, 1, 0, 0]);
  expect((await alice.request("GET /prompts?q=ibex&owner=me")).json.items).toHaveLength(1);
});

test("words that all texts have, or none, find nothing, and neither do exclusions alone", async () => {
  await create("stops", "The oryx");
  for (const q of ["the", "and the", '""', "-", "unicorns", "-unicorns", '-"blue marlin"', "oryx or -zebu"])
    expect([q, await find(q)]).toEqual([q, []]);
});

test("a phrase is found in its order, and what excludes it is too", async () => {
  await create("ordered", "blue marlin");
  await create("reversed", "marlin blue");
  expect(await find('"blue marlin"')).toEqual(["ordered"]);
  expect(await find('marlin -"blue marlin"')).toEqual(["reversed"]);
  expect(await find('"blue marlin" or "marlin blue"')).toHaveLength(2);
});

test("an edit that changes no words writes no document", async () => {
  const { id, at } = await create("wordless", "walrus");
  const row = () => server.sql`select xmin, ctid from search_documents where id = ${id}`;
  const before = await row();
  await alice.request(`PATCH ${at}`, { body: { rating: "sensitive", slug: "wordless-too" } });
  expect(await row()).toEqual(before);
});

test("a commit indexes only the file, and the title's words are still found", async () => {
  const { id, at } = await create("committed", "walrus");
  await server.sql`
    update search_documents set document = setweight(to_tsvector('english', 'sown'), 'A') where id = ${id}`;
  await alice.request(`POST ${at}/versions`, { body: { files: filesOf("narwhal") } });
  expect([await find("sown"), await find("narwhal")]).toEqual([["committed"], ["committed"]]);
  expect(await find("walrus")).not.toContain("committed");
});

test("words keep their positions, however often a title changes back and forth", async () => {
  const { id, at } = await create("back", "the okapi and the other okapi");
  const before = await documentOf(id);
  for (const title of ["A much longer title", "Old title"])
    await alice.request(`PATCH ${at}`, { body: { title } });
  expect(await documentOf(id)).toEqual(before);
});

test("the words of a yanked version are not found, and found again after an unyank", async () => {
  const { at } = await create("yanked", "lemur");
  await alice.request(`POST ${at}/versions`, { body: { files: filesOf("tapir") } });
  await alice.request(`POST ${at}/versions/2/yank`, { body: {} });
  expect([await find("lemur"), await find("tapir")]).toEqual([["yanked"], []]);
  await alice.request(`DELETE ${at}/versions/2/yank`);
  expect([await find("lemur"), await find("tapir")]).toEqual([[], ["yanked"]]);
  await alice.request(`POST ${at}/versions/1/restore`, { body: {} });
  expect([await find("lemur"), await find("tapir")]).toEqual([["yanked"], []]);
});
