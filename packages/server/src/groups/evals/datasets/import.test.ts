import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../../test/harness.ts";
import { publish } from "../../../../test/prompts.ts";
import { codeOf, itemsOf } from "../../../../test/requests.ts";
import { batches } from "./import.ts";
import { readCases } from "./read-cases.ts";

let server: TestServer;
let alice: Person;
let datasets = 0;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  await publish(alice, "graded");
});
afterAll(() => server.stop());

const csv = "text/csv";
const jsonl = "application/x-ndjson";

async function dataset(): Promise<string> {
  datasets += 1;
  const body = { prompt: "alice/graded", name: `Set ${datasets}` };
  const { status, json } = await alice.request("POST /evals/datasets", { body });
  if (status !== 201) throw new Error(JSON.stringify(json));
  return `/evals/datasets/${json.id}`;
}
const load = (at: string, body: string | Uint8Array, { type = csv, query = "", headers = {} } = {}) =>
  alice.request(`POST ${at}/import?${query}`, { body, headers: { "content-type": type, ...headers } });
const read = async (at: string) => (await alice.request(`GET ${at}`)).json;
const casesOf = (at: string) => itemsOf(alice, `GET ${at}/cases?limit=500`);
const keysOf = async (at: string) => (await casesOf(at)).map(({ key }) => key);
const lines = (...cases: object[]) => cases.map((one) => JSON.stringify(one)).join("\n");
/** The lines of a refusal, with what is wrong in them. */
const wrongIn = async (at: string, body: string, options = {}) => {
  const { json } = await load(at, body, { query: "dryRun=true", ...options });
  expect(json).toMatchObject({ added: 0, skipped: 0, removed: 0 });
  return json.errors.map(({ line, path }: { line: number; path: string }) => `${line}${path}`);
};

describe("an import of CSV", () => {
  test("takes known columns as parts of a case, and every other one as a variable", async () => {
    const at = await dataset();
    const file =
      "\ufeffkey,__expected,tags,weight,assert.contains,assert.is-json,assert.latency,name,variables.key,__proto__\r\n" +
      'greets,"Hello, ""Ada""","short;polite, new",0.5,Hello,,900,Ada,a key,p\r\n' +
      ",,,,,,,=HYPERLINK(1),,\r\n";
    const { status, json } = await load(at, file);
    expect([status, json]).toEqual([200, { added: 2, skipped: 0, removed: 0, errors: [], warnings: [] }]);
    const [first, second] = await casesOf(at);
    expect(first).toMatchObject({
      key: "greets",
      expected: 'Hello, "Ada"',
      tags: ["short", "polite", "new"],
      weight: 0.5,
      assertions: [
        { type: "contains", value: "Hello" },
        { type: "latency", threshold: 900 },
      ],
    });
    expect(Object.entries(first.variables).sort()).toEqual([
      ["__proto__", "p"],
      ["key", "a key"],
      ["name", "Ada"],
    ]);
    expect(second).toMatchObject({ key: "case-2", expected: null, weight: 1, assertions: [], tags: [] });
    expect(second.variables["name"]).toBe("=HYPERLINK(1)");
    expect(await read(at)).toMatchObject({ revision: 2, caseCount: 2 });
  });

  test("says what is wrong in each line, and writes nothing", async () => {
    const at = await dataset();
    const file = 'key,weight,tags\na,1,x\nb,much,x\n\n"c\nc",-1,X Y\nd,1\na,1,x\n"e",1,x,y\nf\0,1,x';
    const expected = ["3/weight", "5/tags/0", "5/tags/1", "5/weight", "7", "8/key", "9", "10/key"];
    expect((await wrongIn(at, file)).sort()).toEqual(expected.sort());
    const { status, json } = await load(at, file);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(json.error.message).toMatch(/^Nothing was imported\. Line 3, \/weight: /);
    expect(json.error.details.map(({ path }: { path: string }) => path)).toContain("/lines/8/key");
    expect(await casesOf(at)).toEqual([]);
  });

  test.each([
    ["a limit that is no number", "assert.cost\ncheap", ["2/assertions/0/threshold"]],
    ["a quote that never closes", 'a,b\n1,"2\n3,4', ["2"]],
    ["cells that are separated by semicolons", "\ufeffkey;name\r\na;b", ["1"]],
    ["cells that are separated by tabs", "key\tname\na\tb", ["1"]],
    ["a column without a name", "a,,b\n1,2,3", ["1"]],
    ["a column twice", "name,variables.name\n1,2", ["1"]],
    ["two columns of what is expected", "expected,__expected\n1,2", ["1"]],
    ["a hundred thousand columns", "a,".repeat(100_000), ["1"]],
    ["ten megabytes in a cell", `a\n${"x".repeat(10_000_000)}`, ["2"]],
    ["ten megabytes of quotes", `a\n"${'""'.repeat(5_000_000)}"`, ["2"]],
  ])("refuses a file with %s by its line", async (_what, file, where) => {
    expect(await wrongIn(await dataset(), file)).toEqual(where);
  });

  test("tells a hundred errors at most", async () => {
    // Three on each line.
    const file = `weight,tags\n${"x,A B\n".repeat(10_001)}`;
    expect(await wrongIn(await dataset(), file)).toHaveLength(100);
    expect((await load(await dataset(), file)).json.error.details).toHaveLength(100);
  });
});

describe("an import of JSONL", () => {
  test("takes a case on each line, as a request does", async () => {
    const at = await dataset();
    const one = { key: "a", messages: [{ role: "user", content: "Hi" }], variables: { n: [1] } };
    const { json } = await load(at, `\n${lines(one, {})}\r\n`, { type: jsonl });
    expect(json).toEqual({ added: 2, skipped: 0, removed: 0, errors: [], warnings: [] });
    expect(await casesOf(at)).toMatchObject([one, { key: "case-2" }]);
  });

  test("names the lines that are no cases", async () => {
    const deep = `{"variables":${"[".repeat(1_000_000)}`;
    const file = `{}\n{\n[]\nnull\n{"nonsense":1}\n${deep}\n{"weight":1e400}`;
    const where = ["2", "3", "4", "5/nonsense", "6", "7/weight"];
    expect(await wrongIn(await dataset(), file, { type: jsonl })).toEqual(where);
  });
});

describe("an import", () => {
  test("skips what is there already with the same content, so that a second one changes nothing", async () => {
    const at = await dataset();
    const first = lines({ key: "a", variables: { x: 1, y: 2 } }, { key: "b", tags: ["t"] });
    const second = lines({ key: "b", tags: ["t"] }, { key: "c" }, { variables: { y: 2, x: 1 }, key: "a" });
    await load(at, first, { type: jsonl });
    expect((await load(at, first, { type: jsonl })).json).toMatchObject({ added: 0, skipped: 2 });
    expect((await read(at)).revision).toBe(2);
    expect((await load(at, second, { type: jsonl })).json).toMatchObject({ added: 1, skipped: 2 });
    expect(await read(at)).toMatchObject({ revision: 3, caseCount: 3 });
    expect(await keysOf(at)).toEqual(["a", "b", "c"]);
  });

  test("names a key that is there with another content", async () => {
    const at = await dataset();
    await load(at, "key,x\na,1\nb,2\n");
    const file = "key,x\nc,1\nb,3\na,1\n";
    expect(await wrongIn(at, file)).toEqual(["3/key"]);
    expect(codeOf(await load(at, file))).toEqual([422, "validation_failed"]);
    expect(await keysOf(at)).toEqual(["a", "b"]);
  });

  test("replaces everything on demand; what keeps its key keeps its id", async () => {
    const at = await dataset();
    await load(at, "key,x\na,1\nb,2\nc,3\n");
    const before = await casesOf(at);
    const file = "key,x\nc,3\nd,4\na,9\n";
    const query = "mode=replace";
    const outcome = { added: 2, skipped: 1, removed: 1, errors: [], warnings: [] };
    expect((await load(at, file, { query: `${query}&dryRun=true` })).json).toEqual(outcome);
    expect(await casesOf(at)).toEqual(before);
    expect((await load(at, file, { query })).json).toEqual(outcome);
    const after = await casesOf(at);
    expect(after.map(({ key, position, variables }) => [key, position, variables["x"]])).toEqual([
      ["c", 1, "3"],
      ["d", 2, "4"],
      ["a", 3, "9"],
    ]);
    expect([after[0].id, after[2].id]).toEqual([before[2].id, before[0].id]);
    expect(await read(at)).toMatchObject({ revision: 3, caseCount: 3 });
    expect((await load(at, file, { query })).json).toMatchObject({ added: 0, skipped: 3, removed: 0 });
    expect((await read(at)).revision).toBe(3);
    await load(at, "key,x\nd,4\nc,3\na,9\n", { query });
    expect([await keysOf(at), (await read(at)).revision]).toEqual([["d", "c", "a"], 4]);
    await load(at, "key,x\nd,4\nc,3\na,8\n", { query });
    expect((await read(at)).revision).toBe(5);
  });

  test("that replaces cases without keys names them by their rows, each time alike", async () => {
    const at = await dataset();
    const query = "mode=replace";
    await load(at, "x\n1\n2\n", { query });
    expect((await load(at, "x\n1\n2\n", { query })).json).toMatchObject({ added: 0, skipped: 2 });
    expect(await keysOf(at)).toEqual(["case-1", "case-2"]);
  });

  test("keeps assertions of unknown types, and warns of them", async () => {
    const at = await dataset();
    const file = lines(
      { key: "a", assertions: [{ type: "contains" }, { type: "not-regex" }, { type: "is-jsn" }] },
      { key: "b", assertions: [{ type: "is-jsn" }, { type: "polite" }] },
    );
    for (const query of ["dryRun=true", ""]) {
      const { json } = await load(at, file, { type: jsonl, query });
      expect(json).toMatchObject({
        added: 2,
        warnings: [expect.stringContaining('keeps them: "is-jsn", "polite". It knows equals, contains,')],
      });
    }
    expect((await casesOf(at))[0].assertions[2]).toEqual({ type: "is-jsn" });
  });

  test("names ten unknown types at most", async () => {
    const assertions = [...Array(50).keys()].map((n) => ({ type: `t${n}` }));
    const { json } = await load(await dataset(), lines({ assertions }), { type: jsonl });
    expect(json.warnings).toEqual([expect.stringContaining('"t9" and others.')]);
  });

  test("writes nothing as a dry run, and says the same", async () => {
    const at = await dataset();
    const answer = await load(at, "x\n1\n2\n", { query: "dryRun=true" });
    expect(answer.json).toEqual({ added: 2, skipped: 0, removed: 0, errors: [], warnings: [] });
    expect(await read(at)).toMatchObject({ revision: 1, caseCount: 0 });
  });

  test("of several batches is one change, or none if a key of the last one is taken", async () => {
    const at = await dataset();
    const table = (keys: number[], x: number) => `key,x\n${keys.map((key) => `k${key},${x}\n`).join("")}`;
    const many = [...Array(1_200).keys()];
    await load(at, table([0, 1_150, 1_199], 1));
    const clashing = await load(at, table(many, 2));
    expect(clashing.json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      "/lines/2/key",
      "/lines/1152/key",
      "/lines/1201/key",
    ]);
    expect(await keysOf(at)).toEqual(["k0", "k1150", "k1199"]);
    expect((await load(at, table(many, 1))).json).toMatchObject({ added: 1_197, skipped: 3 });
    const query = "mode=replace";
    const turned = many.slice(100).reverse();
    expect((await load(at, table(turned, 1), { query })).json).toMatchObject({
      added: 0,
      skipped: 1_100,
      removed: 100,
    });
    expect(await keysOf(at)).toEqual(turned.map((key) => `k${key}`));
    expect(await read(at)).toMatchObject({ revision: 4, caseCount: 1_100 });
  });

  test("adds nothing twice under the same Idempotency-Key", async () => {
    const at = await dataset();
    const options = { headers: { "idempotency-key": "import-once" } };
    const first = await load(at, "x\n1\n", options);
    const second = await load(at, "x\n1\n", options);
    expect([second.headers.get("idempotency-replayed"), second.text]).toEqual(["true", first.text]);
    expect(await keysOf(at)).toEqual(["case-1"]);
  });

  test("is repeated under its Idempotency-Key also if the rest of the file was not read", async () => {
    const at = await dataset();
    const options = { query: "dryRun=true", headers: { "idempotency-key": "try-once" } };
    const other = { ...options, query: "mode=replace" };
    const file = `weight\n${"x\n".repeat(500_000)}`;
    const first = await load(at, file, options);
    const second = await load(at, file, options);
    expect([second.headers.get("idempotency-replayed"), second.text]).toEqual(["true", first.text]);
    expect(codeOf(await load(at, `${file}y`, options))).toEqual([422, "idempotency_key_reused"]);
    expect(codeOf(await load(at, file, other))).toEqual([422, "idempotency_key_reused"]);
  });

  test("reads characters whole that are cut by the pieces in which they arrive", async () => {
    const at = await dataset();
    const text = "é😀".repeat(9_000);
    expect(
      (await load(at, `${" ".repeat(3)}\n${lines({ expected: text })}`, { type: jsonl })).json.added,
    ).toBe(1);
    expect((await casesOf(at))[0].expected).toBe(text);
  });

  test.each([
    ["an empty file", "", 422],
    ["a header without rows", "key,name\n", 422],
    ["bytes that are not UTF-8", new Uint8Array([0x61, 0x0a, 0xff]), 422],
    ["more cases than a dataset can have", `a\n${"1\n".repeat(10_001)}`, 413],
    ["more than 10 MiB", "x".repeat(10 * 1024 * 1024 + 1), 413],
  ])("refuses %s, also to replace with it", async (_what, body, status) => {
    const at = await dataset();
    await load(at, "x\n1\n");
    for (const query of ["", "mode=replace"]) expect((await load(at, body, { query })).status).toBe(status);
    expect(await keysOf(at)).toEqual(["case-1"]);
  });

  test("takes ten thousand cases, and refuses one that a full dataset has no room for", {
    tags: "long",
  }, async () => {
    const at = await dataset();
    expect((await load(at, `a\n${"1\n".repeat(10_000)}`)).json.added).toBe(10_000);
    expect(codeOf(await load(at, "a\n1\n"))).toEqual([409, "quota_exceeded"]);
    expect(codeOf(await load(at, "a\n1\n", { query: "dryRun=true" }))).toEqual([409, "quota_exceeded"]);
  });

  test.each([csv, jsonl])(
    "of millions of empty lines lets other requests run: %s",
    { tags: "long" },
    async (type) => {
      const state = { isReading: true };
      const body = Readable.from(["\n".repeat(3_000_000)]);
      const reading = readCases(body, type).finally(() => (state.isReading = false));
      let turns = 0;
      for (; state.isReading; turns++) await nextTurn();
      await reading;
      expect(turns).toBeGreaterThan(3);
    },
  );

  test("takes no other type of file", async () => {
    for (const type of ["text/plain", "application/json"])
      expect(codeOf(await load(await dataset(), "a\n1\n", { type }))).toEqual([
        415,
        "unsupported_media_type",
      ]);
  });
});

describe("imports at once", () => {
  const table = (...keys: string[]) => `key\n${keys.join("\n")}\n`;

  test("replace each other whole, beside new cases", async () => {
    const at = await dataset();
    const files = [table("a", "b", "c"), table("c", "d"), table("e", "a", "b", "f")];
    const answers = await Promise.all([
      ...files.map((file) => load(at, file, { query: "mode=replace" })),
      alice.request(`POST ${at}/cases`, { body: { cases: [{ key: "new" }] } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
    const keys = await keysOf(at);
    const wholes = files.map((file) => file.trim().split("\n").slice(1));
    const possible = wholes.flatMap((whole) => [whole, [...whole, "new"]]);
    expect(possible).toContainEqual(keys);
    expect(await read(at)).toMatchObject({ caseCount: keys.length, revision: 5 });
  });

  test("append each key once", async () => {
    const at = await dataset();
    const answers = await Promise.all([1, 2, 3, 4].map(() => load(at, table("a", "b", "c"))));
    expect(answers.map(({ json }) => json.added).sort()).toEqual([0, 0, 0, 3]);
    expect(await read(at)).toMatchObject({ caseCount: 3, revision: 2 });
  });

  test("come before the deletion of the dataset, or find it gone", async () => {
    const at = await dataset();
    const [removed, ...loaded] = await Promise.all([
      alice.request(`DELETE ${at}`),
      ...["a", "b", "c"].map((key) => load(at, table(key))),
    ]);
    expect(removed?.status).toBe(204);
    for (const { status } of loaded) expect([200, 410]).toContain(status);
    const [{ count } = { count: -1 }] = await server.sql<{ count: number }[]>`
      select count(*)::int as count from eval_cases where dataset_id = ${at.split("/").at(-1) ?? ""}`;
    expect(count).toBe(loaded.filter(({ status }) => status === 200).length);
  });
});

test("a statement has five hundred cases at most, and a megabyte of them unless one alone has more", () => {
  const lengths = (sizes: number[]) => [...batches(sizes, sizes)].map(({ length }) => length);
  expect(lengths(Array<number>(1_001).fill(1))).toEqual([500, 500, 1]);
  expect(lengths([500_000, 500_000, 1, 400_000, 600_000, 2_000_000, 1])).toEqual([2, 2, 1, 1, 1]);
  expect(lengths([300_000, 300_000, 300_000, 300_000])).toEqual([3, 1]);
});
