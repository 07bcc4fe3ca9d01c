import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { renewDocuments } from "./search.sql.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(() => server.stop());

const documents = () => server.sql`select id, document::text, making from search_documents order by id`;
/** Leaves documents as an older release made them. */
const age = () => server.sql`update search_documents set document = '', making = 1`;

test("documents of an older making are made anew as new ones are, and nothing is left to do", {
  tags: "long",
}, async () => {
  for (let nth = 0; nth < 45; nth++) await publish(alice, `p-${nth}`, { tags: ["tag"], summary: "Café" });
  await publish(alice, "draft", { publish: false });
  await alice.request("POST /prompts/alice/p-1/versions", { body: { files: filesOf("設計") } });
  const made = await documents();
  expect(made.every(({ making }) => making === 2)).toBe(true);
  await age();
  await renewDocuments(server.sql);
  expect(await documents()).toEqual(made);
  const rows = await server.sql`select xmin from search_documents order by id`;
  await renewDocuments(server.sql);
  expect(await server.sql`select xmin from search_documents order by id`).toEqual(rows);
});

test("a prompt that is being edited is left for later, and its edit stays", async () => {
  const { id } = await publish(alice, "busy", { title: "Before" });
  await age();
  await server.sql.begin(async (sql) => {
    await sql`select from prompts where id = ${id} for no key update`;
    await renewDocuments(server.sql);
    await sql`update prompts set title = 'Antelope' where id = ${id}`;
  });
  const outdated = () => server.sql`select id from search_documents where making < 2`;
  expect((await outdated()).map((row) => row["id"])).toEqual([id]);
  await renewDocuments(server.sql);
  expect(await outdated()).toHaveLength(0);
  expect((await server.anonymous("GET /prompts?q=antelope")).json.items[0].slug).toBe("busy");
});

test("several processes share the work", async () => {
  const made = await documents();
  await age();
  await Promise.all([renewDocuments(server.sql), renewDocuments(server.sql), renewDocuments(server.sql)]);
  await renewDocuments(server.sql);
  expect(await documents()).toEqual(made);
});
