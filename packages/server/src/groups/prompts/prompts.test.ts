import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const greeting = (text: string) => ({ path: "PROMPT.md", content: text });
const create = (slug: string, more: object = {}) =>
  alice.request("POST /prompts", {
    body: { kind: "text", slug, title: "A greeting", files: [greeting("Hello {{name}}")], ...more },
  });

describe("creating a prompt", () => {
  test("publishes version 1 and says where it is", async () => {
    const answer = await create("hello");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${server.url}/api/v1/prompts/alice/hello`);
    expect(answer.json).toMatchObject({
      ref: "alice/hello",
      status: "published",
      latestVersion: 1,
      version: { n: 1, variables: [{ name: "name", required: true }], warnings: [] },
    });
    expect(answer.json.version.files[0]).not.toHaveProperty("content");
  });
});
