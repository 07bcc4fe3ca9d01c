import { limits } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../../test/harness.ts";
import { publish } from "../../../../test/prompts.ts";
import { codeOf, itemsOf } from "../../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let datasets = 0;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  await publish(alice, "graded");
});
afterAll(() => server.stop());

async function dataset(): Promise<string> {
  datasets += 1;
  const body = { prompt: "alice/graded", name: `Set ${datasets}`, visibility: "public" };
  return `/evals/datasets/${(await alice.request("POST /evals/datasets", { body })).json.id}`;
}
const add = (at: string, cases: object[], headers = {}) =>
  alice.request(`POST ${at}/cases`, { body: { cases }, headers });
const read = async (at: string) => (await alice.request(`GET ${at}`)).json;
const keysOf = async (at: string) => (await itemsOf(alice, `GET ${at}/cases?limit=2`)).map(({ key }) => key);

describe("new cases", () => {
  test("keep what they say, and get defaults for the rest", async () => {
    const at = await dataset();
    const whole = {
      key: "greets",
      variables: { name: "Ada", ["__proto__"]: { a: 1 }, nested: { list: [1, null, "x"] } },
      messages: [{ role: "user", content: "Hi" }],
      expected: { greeting: "Hello" },
      assertions: [
        { type: "contains-all", value: ["a", "b"], threshold: 0.5, weight: 2 },
        { type: "is-json" },
      ],
      tags: ["short", "greeting"],
      weight: 0.5,
    };
    const { status, json } = await add(at, [whole, { expected: "Hello" }, {}]);
    expect(status).toBe(201);
    expect(json.warnings).toEqual([expect.stringContaining('keeps them: "contains-all". It knows equals,')]);
    const [first, second, third] = json.items;
    expect(first).toEqual({ ...whole, id: expect.stringMatching(/^ecs_/), position: 1 });
    const bare = { variables: {}, messages: null, assertions: [], tags: [], weight: 1 };
    expect(second).toEqual({ ...bare, id: second.id, key: "case-2", expected: "Hello", position: 2 });
    expect(third).toMatchObject({ key: "case-3", expected: null, position: 3 });
    expect((await alice.request(`GET ${at}/cases`)).json.items).toEqual(json.items);
    expect(await read(at)).toMatchObject({ revision: 2, caseCount: 3 });
  });

  test("get default keys that no other case has", async () => {
    const at = await dataset();
    await add(at, [{ key: "case-2" }, {}, { key: "case-4" }, {}]);
    await add(at, [{}, { key: "case-7" }, {}]);
    expect(await keysOf(at)).toEqual(["case-2", "case-3", "case-4", "case-5", "case-6", "case-7", "case-8"]);
  });

  test("are refused as a whole if keys are repeated or taken, and each of them is named", async () => {
    const at = await dataset();
    await add(at, [{ key: "a" }, { key: "b" }]);
    const repeated = await add(at, [{ key: "x" }, { key: "y" }, { key: "x" }, { key: "x" }]);
    expect(codeOf(repeated)).toEqual([422, "validation_failed"]);
    expect(repeated.json.error.details).toMatchObject([{ path: "/cases/2/key" }, { path: "/cases/3/key" }]);
    const taken = await add(at, [{ key: "c" }, { key: "b" }, {}, { key: "a" }]);
    expect(codeOf(taken)).toEqual([409, "name_taken"]);
    expect(taken.json.error.details).toMatchObject([{ path: "/cases/1/key" }, { path: "/cases/3/key" }]);
    const many = await add(
      at,
      Array.from({ length: 22 }, () => ({ key: "x" })),
    );
    expect(many.json.error.details).toHaveLength(20);
    const invalid = await add(at, [{ key: "d" }, { weight: -1 }]);
    expect(invalid.json.error.details).toMatchObject([{ path: "/cases/1/weight" }]);
    expect(await keysOf(at)).toEqual(["a", "b"]);
    expect(await read(at)).toMatchObject({ revision: 2, caseCount: 2 });
  });

  test.each([
    ["a key with NUL", { key: "a\0" }],
    ["a lone surrogate in a variable", { variables: { a: "\ud800" } }],
    ["variables of more than 64 KiB", { variables: { a: "x".repeat(65_536) } }],
    ["variables that are too deep", { variables: JSON.parse(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`) }],
    ["messages of more than 64 KiB", { messages: [{ role: "user", content: "ä".repeat(33_000) }] }],
    ["a message with NUL", { messages: [{ role: "user", content: "\0" }] }],
    ["a list as what is expected", { expected: [1] }],
    ["an assertion with an unknown field", { assertions: [{ type: "equals", code: 1 }] }],
    ["a hundred and one assertions", { assertions: Array.from({ length: 101 }, () => ({ type: "equals" })) }],
    ["a tag twice", { tags: ["a", "a"] }],
  ])("are refused with %s", async (_what, one) => {
    const at = await dataset();
    expect(codeOf(await add(at, [one]))).toEqual([422, "validation_failed"]);
    expect(await keysOf(at)).toEqual([]);
  });

  test("can have variables of exactly 64 KiB of JSON", async () => {
    const variables = { a: "x".repeat(65_536 - '{"a":""}'.length) };
    expect((await add(await dataset(), [{ variables }])).status).toBe(201);
  });

  test("are shown again under the same Idempotency-Key, also if they are long", async () => {
    const at = await dataset();
    const headers = { "idempotency-key": "long-cases" };
    const cases = [1, 2, 3].map(() => ({ expected: "x".repeat(60_000) }));
    const first = await add(at, cases, headers);
    const second = await add(at, cases, headers);
    expect([second.headers.get("idempotency-replayed"), second.text]).toEqual(["true", first.text]);
    expect((await read(at)).caseCount).toBe(3);
  });

  test("fit into a dataset up to its limit", async () => {
    const at = await dataset();
    await server.sql`
      update eval_datasets set case_count = ${limits.casesPerDataset - 2} where id = ${at.split("/").at(-1) ?? ""}`;
    expect(codeOf(await add(at, [{}, {}, {}]))).toEqual([409, "quota_exceeded"]);
    expect((await add(at, [{}, {}])).status).toBe(201);
    expect(codeOf(await add(at, [{}]))).toEqual([409, "quota_exceeded"]);
  });
});

describe("a case", () => {
  test("is edited field by field, and the revision rises if it differs afterwards", async () => {
    const [at, other] = [await dataset(), await dataset()];
    await add(other, [{ key: "c" }]);
    const [one] = (await add(at, [{ key: "a", expected: "Hello", variables: { n: 1 } }, { key: "b" }])).json
      .items;
    const edit = (body: object, headers = {}) =>
      alice.request(`PATCH ${at}/cases/${one.id}`, { body, headers });
    expect((await edit({ weight: 2, tags: ["short"] })).json).toEqual({ ...one, weight: 2, tags: ["short"] });
    expect((await edit({ expected: null, messages: null })).json).toMatchObject({ expected: null, key: "a" });
    expect((await read(at)).revision).toBe(4);
    expect((await edit({ expected: null, variables: { n: 1 }, key: "a" })).status).toBe(200);
    expect((await read(at)).revision).toBe(4);
    expect(codeOf(await edit({ key: "b" }))).toEqual([409, "name_taken"]);
    expect((await edit({ key: "c" })).json.key).toBe("c");
    const etag = (await alice.request(`GET ${at}`)).headers.get("etag") ?? "";
    expect((await edit({ weight: 3 }, { "if-match": etag })).status).toBe(200);
    expect(codeOf(await edit({ weight: 4 }, { "if-match": etag }))).toEqual([412, "precondition_failed"]);
  });

  test("is deleted, and is found below its own dataset alone", async () => {
    const [at, other] = [await dataset(), await dataset()];
    const [one] = (await add(at, [{ key: "a" }, { key: "b" }])).json.items;
    expect(codeOf(await alice.request(`DELETE ${other}/cases/${one.id}`))).toEqual([404, "not_found"]);
    expect((await alice.request(`DELETE ${at}/cases/${one.id}`)).status).toBe(204);
    expect(codeOf(await alice.request(`DELETE ${at}/cases/${one.id}`))).toEqual([404, "not_found"]);
    expect(await read(at)).toMatchObject({ caseCount: 1, revision: 3 });
    await add(at, [{}]);
    expect(await keysOf(at)).toEqual(["b", "case-3"]);
  });
});

test("cases are listed by position and by tag, up to 500 on a page", async () => {
  const at = await dataset();
  const cases = Array.from({ length: 500 }, (_, n) => ({ key: `k${n}`, tags: n % 2 ? ["odd"] : [] }));
  await add(at, cases);
  await add(at, [{ key: "last", tags: ["odd"] }]);
  const page = await alice.request(`GET ${at}/cases?limit=500`);
  expect(page.json.items.map(({ key }: { key: string }) => key)).toEqual(cases.map(({ key }) => key));
  const odd = await itemsOf(alice, `GET ${at}/cases?tag=odd&limit=100`);
  expect([odd.length, odd.at(-1).key]).toEqual([251, "last"]);
});

test("changes of cases that arrive at once each raise the revision once, and lose nothing", async () => {
  const at = await dataset();
  const [kept, dropped] = (await add(at, [{ key: "kept" }, { key: "dropped" }])).json.items;
  const answers = await Promise.all([
    ...[1, 2, 3, 4].map(() => add(at, [{}, {}])),
    ...[1, 2, 3].map((weight) =>
      alice.request(`PATCH ${at}/cases/${kept.id}`, { body: { expected: `${weight}` } }),
    ),
    alice.request(`DELETE ${at}/cases/${dropped.id}`),
    add(at, [{ key: "wanted" }]),
    add(at, [{ key: "wanted" }]),
  ]);
  const done = answers.filter(({ status }) => status < 300).length;
  expect([done, answers.filter(({ status }) => status === 409).length]).toEqual([9, 1]);
  expect(await read(at)).toMatchObject({ revision: 2 + done, caseCount: 2 + 8 - 1 + 1 });
  const items = await itemsOf(alice, `GET ${at}/cases`);
  for (const name of ["key", "position"]) expect(new Set(items.map((item) => item[name])).size).toBe(10);
});
