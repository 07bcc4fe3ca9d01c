import { limits } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { selectDataset } from "./datasets.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let reporter: Person;
let staff: Person[];

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  reporter = await server.join("alice", { scopes: ["read", "evals:write"] });
  staff = [await server.join("mod", { role: "moderator" }), await server.join("root", { role: "admin" })];
  await publish(alice, "graded");
});
afterAll(() => server.stop());

const create = (fields: object, who = alice) =>
  who.request("POST /evals/datasets", { body: { prompt: "alice/graded", ...fields } });
const createId = async (fields: object): Promise<string> => (await create(fields)).json.id;
const namesFor = async (who: Person, slug = "graded") =>
  (await itemsOf(who, `GET /evals/datasets?prompt=alice/${slug}&limit=1`)).map(({ name }) => name);

describe("a dataset", () => {
  test("is private and empty at first, and is found at its address", async () => {
    const { status, headers, json } = await create({ name: " Golden " });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^eds_/),
      prompt: { ref: "alice/graded" },
      name: "Golden",
      description: null,
      visibility: "private",
      revision: 1,
      caseCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(headers.get("location")).toBe(`${server.url}/api/v1/evals/datasets/${json.id}`);
    expect((await alice.request(`GET /evals/datasets/${json.id}`)).json).toEqual(json);
  });

  test("is renamed and described without another revision, and with another ETag", async () => {
    const id = await createId({ name: "Before" });
    const etag = (await alice.request(`GET /evals/datasets/${id}`)).headers.get("etag") ?? "";
    const edit = (body: object, headers = {}) =>
      alice.request(`PATCH /evals/datasets/${id}`, { body, headers });
    const { json } = await edit({ name: "After", description: "What it has" }, { "if-match": etag });
    expect(json).toMatchObject({ name: "After", description: "What it has", revision: 1 });
    expect(codeOf(await edit({ name: "Later" }, { "if-match": etag }))).toEqual([412, "precondition_failed"]);
    expect((await edit({ description: null })).json).toMatchObject({ name: "After", description: null });
  });

  test("is public for whoever sees its prompt, and never for more", async () => {
    await publish(alice, "turning");
    const { json } = await create({ prompt: "alice/turning", name: "Shown", visibility: "public" });
    const hidden = await createId({ prompt: "alice/turning", name: "Own" });
    const seenBy = async (who: Person) => [
      (await who.request(`GET /evals/datasets/${json.id}`)).status,
      (await who.request(`GET /evals/datasets/${json.id}/cases`)).status,
      (await who.request(`GET /evals/datasets/${hidden}`)).status,
      (await who.request(`GET /evals/datasets/${hidden}/cases`)).status,
    ];
    for (const who of [bob, ...staff]) {
      expect(await seenBy(who)).toEqual([200, 200, 404, 404]);
      expect(await namesFor(who, "turning")).toEqual(["Shown"]);
    }
    expect(await namesFor(alice, "turning")).toEqual(["Own", "Shown"]);
    await alice.request("PATCH /prompts/alice/turning", { body: { visibility: "private" } });
    for (const who of [bob, ...staff]) expect(await seenBy(who)).toEqual([404, 404, 404, 404]);
    expect(await seenBy(alice)).toEqual([200, 200, 200, 200]);
  });

  test("is gone after its deletion, and its name is free", async () => {
    const id = await createId({ name: "Deleted", visibility: "public" });
    const own = await createId({ name: "Deleted too" });
    for (const one of [id, own])
      expect((await alice.request(`DELETE /evals/datasets/${one}`)).status).toBe(204);
    for (const who of [alice, bob])
      expect(codeOf(await who.request(`GET /evals/datasets/${id}`))).toEqual([410, "gone"]);
    expect(codeOf(await bob.request(`GET /evals/datasets/${own}`))).toEqual([404, "not_found"]);
    // As it is for a read that found it just before.
    await expect(selectDataset(server.sql, id)).rejects.toMatchObject({ code: "gone" });
    expect(codeOf(await alice.request(`DELETE /evals/datasets/${id}`))).toEqual([410, "gone"]);
    expect(await namesFor(alice)).not.toContain("Deleted");
    const { status, json } = await create({ name: "Deleted" });
    expect(status).toBe(201);
    const rename = { body: { name: "Deleted too" } };
    expect((await alice.request(`PATCH /evals/datasets/${json.id}`, rename)).status).toBe(200);
  });

  test("is written with the scope write: evals:write only reports runs", async () => {
    const id = await createId({ name: "Scoped" });
    const { items } = (await alice.request(`POST /evals/datasets/${id}/cases`, { body: { cases: [{}] } }))
      .json;
    const one = `/evals/datasets/${id}/cases/${items[0].id}`;
    const csv = { body: "a\n1\n", headers: { "content-type": "text/csv" } };
    for (const [route, call] of [
      ["POST /evals/datasets", { body: { prompt: "alice/graded", name: "New" } }],
      [`PATCH /evals/datasets/${id}`, { body: { name: "New" } }],
      [`DELETE /evals/datasets/${id}`, {}],
      [`POST /evals/datasets/${id}/cases`, { body: { cases: [{}] } }],
      [`PATCH ${one}`, { body: { key: "new" } }],
      [`DELETE ${one}`, {}],
      [`POST /evals/datasets/${id}/import`, csv],
    ] as const)
      expect([route, codeOf(await reporter.request(route, call))]).toEqual([route, [403, "token_scope"]]);
  });
});

describe("the name of a dataset", () => {
  test("is taken while another dataset of the prompt has it", async () => {
    await publish(alice, "other");
    await create({ name: "Taken" });
    expect(codeOf(await create({ name: "Taken" }))).toEqual([409, "name_taken"]);
    const id = await createId({ name: "Renamed" });
    const rename = (name: string) => alice.request(`PATCH /evals/datasets/${id}`, { body: { name } });
    expect(codeOf(await rename("Taken"))).toEqual([409, "name_taken"]);
    expect((await rename("Renamed")).status).toBe(200);
    expect((await create({ name: "Taken", prompt: "alice/other" })).status).toBe(201);
  });

  test("goes to one of many who want it at once, by a new dataset or by another name", async () => {
    const ids = await Promise.all(["1", "2", "3", "4", "5", "6"].map((name) => createId({ name })));
    for (const name of ["Wanted", "Wanted too", "Wanted again"]) {
      const answers = await Promise.all([
        ...ids.map((id) => alice.request(`PATCH /evals/datasets/${id}`, { body: { name } })),
        ...[1, 2].map(() => create({ name })),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(7);
    }
  });
});

test("a prompt has so many datasets, also if they are created at once", async () => {
  await publish(alice, "full");
  await server.sql`
    insert into eval_datasets (prompt_id, name, visibility)
    select p.id, 'Set ' || n, 'private' from prompts p, generate_series(1, ${limits.datasetsPerPrompt - 1}) n
    where p.slug = 'full'`;
  const answers = await Promise.all(["a", "b", "c"].map((name) => create({ name, prompt: "alice/full" })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const [{ id }] = await itemsOf(alice, "GET /evals/datasets?prompt=alice/full");
  await alice.request(`DELETE /evals/datasets/${id}`);
  expect((await create({ name: "d", prompt: "alice/full" })).status).toBe(201);
});
