import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf, type Sender } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let folder: string;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  folder = await mkdtemp(join(tmpdir(), "promptreg-dataset-"));
  await publish(alice, "greeting", { files: filesOf("Greet {{name}}") });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const addCases = (id: string, cases: object[]) =>
  expectDone(alice, `POST /evals/datasets/${id}/cases`, { cases });
async function makeDataset(name: string, { visibility = "public", cases = [{ key: "a" }] as object[] } = {}) {
  const body = { prompt: "alice/greeting", name, visibility };
  const { id } = await expectDone(alice, "POST /evals/datasets", body);
  await addCases(id, cases);
  return String(id);
}
const ask = (dataset: string, who: Sender = bob, format = "promptfoo") =>
  who.request(`GET /prompts/alice/greeting/download?format=${format}&dataset=${encodeURIComponent(dataset)}`);
/** The configuration in the zip, unpacked by the usual program. */
async function configOf(dataset: string, token = bob.token): Promise<string> {
  const query = new URLSearchParams({ format: "promptfoo", dataset });
  const response = await fetch(`${server.url}/api/v1/prompts/alice/greeting/download?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  const path = join(folder, "archive.zip");
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return execFileSync("unzip", ["-p", path, "promptfooconfig.yaml"], { encoding: "utf8" });
}
const keysIn = (config: string) => [...config.matchAll(/description: "?(case-\w+)/g)].map(([, key]) => key);

describe("promptfoo's tests of a dataset", () => {
  test("are its cases in their order, by its name or its id, and not the examples", async () => {
    await expectDone(alice, "POST /prompts/alice/greeting/examples", { output: "An example." });
    const assertions = [{ type: "icontains", value: "hello ada", weight: 2 }];
    const cases = [{ variables: { name: "Ada" }, assertions }, { expected: "Hello" }];
    const id = await makeDataset("Golden set", { cases });
    const config = await configOf("Golden set");
    expect(keysIn(config)).toEqual(["case-1", "case-2"]);
    expect(config).toMatch(/name: Ada[^]*type: icontains\s+value: hello ada\s+weight: 2/);
    expect(config).toMatch(/type: equals\s+value: Hello/);
    expect(config).not.toContain("An example.");
    expect(await configOf(id)).toBe(config);
    await makeDataset(id, { cases: [{ key: "case-of-another" }] });
    expect(await configOf(id)).toBe(config);
  });

  test("are none of an empty dataset", async () => {
    const body = { prompt: "alice/greeting", name: "Empty" };
    const { id } = await expectDone(alice, "POST /evals/datasets", body);
    expect((await ask(id, alice)).status).toBe(200);
  });

  test("change its ETag when they change", async () => {
    const id = await makeDataset("Moving");
    const etag = async () => (await ask(id)).headers.get("etag");
    const before = await etag();
    expect(await etag()).toBe(before);
    await addCases(id, [{ key: "b" }]);
    expect(await etag()).not.toBe(before);
  });

  test("come from a private dataset for the owner of the prompt alone", async () => {
    const id = await makeDataset("Secret", { visibility: "private", cases: [{ key: "case-secret" }] });
    const moderator = await server.join("moderator", { role: "moderator" });
    for (const name of ["Secret", id]) {
      expect(keysIn(await configOf(name, alice.token))).toEqual(["case-secret"]);
      for (const who of [bob, moderator, server.nobody]) {
        const hidden = await ask(name, who);
        expect([hidden.status, hidden.json.error.message]).toEqual([
          404,
          `alice/greeting has no dataset "${name}".`,
        ]);
      }
    }
  });

  test("do not come from a deleted dataset, or from one of another prompt", async () => {
    const id = await makeDataset("Deleted");
    await expectDone(alice, `DELETE /evals/datasets/${id}`);
    await publish(alice, "other");
    const body = { prompt: "alice/other", name: "Elsewhere", visibility: "public" };
    const { id: elsewhere } = await expectDone(alice, "POST /evals/datasets", body);
    for (const name of [id, "Deleted", elsewhere, "Elsewhere", "none"])
      expect(codeOf(await ask(name, alice))).toEqual([404, "not_found"]);
  });

  test("are refused if they take more than 2 MiB", async () => {
    const id = await makeDataset("Large");
    const large = (n: number) => ({ key: `large-${n}`, variables: { text: "x".repeat(60_000) } });
    await addCases(id, [...Array(30).keys()].map(large));
    expect((await ask(id)).status).toBe(200);
    await addCases(id, [30, 31, 32, 33, 34].map(large));
    const { status, json } = await ask(id);
    expect([status, json.error.code]).toEqual([422, "format_too_large"]);
    expect(json.error.message).toContain("more than 2 MiB");
    const limit = 2 * 1024 * 1024;
    const fill = async (bytes: number) => {
      const [row] = await server.sql`
        select sum(size + octet_length(key))::int as others from eval_cases where dataset_id = ${id} and key <> 'large-0'`;
      // Beside what is expected: a key of seven bytes, `{}`, `[]` and the quotes.
      const expected = "x".repeat(bytes - row?.["others"] - 13);
      await server.sql`
        update eval_cases set variables = '{}', expected = to_jsonb(${expected}::text)
        where dataset_id = ${id} and key = 'large-0'`;
    };
    await server.sql`delete from eval_cases where dataset_id = ${id} and position > 30`;
    await fill(limit);
    expect((await ask(id)).status).toBe(200);
    await fill(limit + 1);
    expect((await ask(id)).status).toBe(422);
  });

  test.each(["zip", "github-models"])("do not go with the format %s", async (format) => {
    const { status, json } = await ask("Golden set", alice, format);
    expect([status, json.error.details]).toMatchObject([422, [{ path: "/dataset" }]]);
  });
});
