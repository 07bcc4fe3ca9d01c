import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";

let server: TestServer;
let alice: Person;
/** Alice, with a token that can write and not read. */
let writer: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  writer = await server.join("alice", { scopes: ["write"] });
  const body = { kind: "text", slug: "secret", title: "Secret", visibility: "private", files: files("one") };
  await alice.request("POST /prompts", { body });
});
afterAll(() => server.stop());

const files = (said: string) => [{ path: "PROMPT.md", content: said }];
const at = "/prompts/alice/secret";

describe("a token that can write and not read", () => {
  test("changes a private prompt without seeing it", async () => {
    const { status, text, headers } = await writer.request(`PATCH ${at}`, { body: { summary: "New" } });
    expect([status, text, headers.get("etag"), headers.get("content-type")]).toEqual([204, "", null, null]);
    expect((await alice.request(`GET ${at}`)).json.summary).toBe("New");
  });

  test("gets the address of what it made from something that it cannot read", async () => {
    const committed = await writer.request(`POST ${at}/versions`, { body: { files: files("two") } });
    expect([committed.status, committed.json.n]).toEqual([201, 2]);
    const restored = await writer.request(`POST ${at}/versions/1/restore`, { body: {} });
    expect([restored.status, restored.text]).toEqual([204, ""]);
    expect(restored.headers.get("location")).toBe(`${server.url}/api/v1${at}/versions/3`);
  });

  test("does not commit the draft, which stays", async () => {
    await alice.request(`PUT ${at}/draft`, { body: { files: files("draft") } });
    const { status, json } = await writer.request(`POST ${at}/versions`, { body: {} });
    expect([status, json.error.code]).toEqual([403, "token_scope"]);
    expect((await alice.request(`GET ${at}/draft`)).json.draft.files).toMatchObject(files("draft"));
    expect((await alice.request(`POST ${at}/versions`, { body: {} })).status).toBe(201);
  });

  test("does not see the stored response of another token with the same Idempotency-Key", async () => {
    const yank = async (who: Person, key: string) => {
      const headers = { "idempotency-key": key };
      const answer = await who.request(`POST ${at}/versions/2/yank`, { body: {}, headers });
      return [answer.status, answer.json?.n, answer.headers.get("idempotency-replayed")];
    };
    expect(await yank(alice, "a")).toEqual([200, 2, null]);
    expect(await yank(writer, "a")).toEqual([204, undefined, "true"]);
    expect(await yank(writer, "b")).toEqual([204, undefined, null]);
    expect(await yank(alice, "b")).toEqual([200, 2, "true"]);
  });

  test("gets the new secret of a webhook, which is shown only once", async () => {
    const { json } = await writer.request("POST /webhooks", { body: { url: "http://127.0.0.1:9/hook" } });
    const change = (body: object) => writer.request(`PATCH /webhooks/${json.id}`, { body });
    expect((await change({ description: "New" })).status).toBe(204);
    const rotated = await change({ rotateSecret: true });
    expect([rotated.status, rotated.json.secret]).toEqual([200, expect.stringMatching(/^whsec_/)]);
  });
});

test("a token for reporting evals gets its run and the verdict", async () => {
  const ci = await server.join("alice", { scopes: ["evals:write"] });
  const params = { temperature: 0 };
  const body = { prompt: "alice/secret", versionNumber: 1, model: "m", params, externalId: "build-1" };
  const run = await ci.request("POST /evals/runs", { body });
  expect(run.json).toMatchObject({ params, externalId: "build-1", status: "running" });
  const ending = { status: "completed", verdict: "pass" };
  expect((await ci.request(`PATCH /evals/runs/${run.json.id}`, { body: ending })).json).toMatchObject(ending);
});
