import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(() => server.stop());

/** The most files, with long names: their metadata alone is over 64 KiB. */
const files = (said: string) => [
  { path: "PROMPT.md", content: said },
  ...Array.from({ length: 199 }, (_, i) => ({ path: `${"x".repeat(200)}-${i}.md`, content: said })),
];
/** An entry whose settings alone are over 64 KiB. */
const chat = JSON.stringify({
  messages: [{ role: "user", content: "Hi" }],
  config: { x: "x".repeat(70_000) },
});

/** Sends a request twice with one key. */
async function twice(route: string, body: object): Promise<{ first: Answer; again: Answer }> {
  const send = () => alice.request(route, { body, headers: { "idempotency-key": route } });
  return { first: await send(), again: await send() };
}
const createAs = (slug: string) => ({ kind: "text", slug, title: "A prompt", files: files("one") });
const versionsOf = async (slug: string) =>
  (await alice.request(`GET /prompts/alice/${slug}/versions`)).json.items.length;

/** The first response was too long to be stored, and the second one is the same. */
async function expectSame({ first, again }: { first: Answer; again: Answer }) {
  expect(first.status).toBeLessThan(300);
  expect(first.text.length).toBeGreaterThan(65_536);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([first.status, "true"]);
  expect(again.json).toEqual(first.json);
  expect(again.headers.get("location")).toBe(first.headers.get("location"));
  expect((await server.sql`select from idempotency_keys where octet_length(body) > 65536`).count).toBe(0);
}

describe("a request with a long response, repeated with its key,", () => {
  test("makes one prompt", async () => {
    await expectSame(await twice("POST /prompts", createAs("made")));
    expect(await versionsOf("made")).toBe(1);
  });

  test("makes one version", async () => {
    await alice.request("POST /prompts", { body: createAs("committed") });
    await expectSame(await twice("POST /prompts/alice/committed/versions", { files: files("two") }));
    await expectSame(await twice("POST /prompts/alice/committed/versions/1/restore", {}));
    expect(await versionsOf("committed")).toBe(3);
  });

  test("makes one version, also if the prompt has another address now", async () => {
    await alice.request("POST /prompts", { body: createAs("left") });
    const send = () =>
      alice.request("POST /prompts/alice/left/versions", {
        body: { files: files("two") },
        headers: { "idempotency-key": "moved" },
      });
    const first = await send();
    await alice.request("PATCH /prompts/alice/left", { body: { slug: "new-home" } });
    await expectSame({ first, again: await send() });
    expect(await versionsOf("new-home")).toBe(2);
  });

  test("gives the same response about a version with many settings", async () => {
    const body = { kind: "chat", slug: "chat", title: "Chat", files: [{ path: "CHAT.json", content: chat }] };
    await alice.request("POST /prompts", { body });
    await expectSame(await twice("POST /prompts/alice/chat/versions/1/yank", { reason: "No" }));
  });

  test("begins one run", async () => {
    const params = { system: "x".repeat(70_000) };
    const body = { prompt: "alice/made", versionNumber: 1, model: "m", params };
    await expectSame(await twice("POST /evals/runs", body));
    expect((await alice.request("GET /evals/runs?prompt=alice/made")).json.items).toHaveLength(1);
  });

  test("shows nothing that was deleted meanwhile", async () => {
    await alice.request("POST /prompts", { body: createAs("gone") });
    const send = () =>
      alice.request("POST /prompts/alice/gone/versions", {
        body: { files: files("two") },
        headers: { "idempotency-key": "gone" },
      });
    expect((await send()).status).toBe(201);
    await alice.request("DELETE /prompts/alice/gone");
    expect((await send()).status).toBe(410);
  });
});
