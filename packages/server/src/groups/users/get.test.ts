import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe("an account", () => {
  test("is shown to everybody, without its private fields", async () => {
    const alice = await server.join("alice");
    await alice.request("PATCH /me", { body: { name: "Alice", bio: "Hi", website: "https://a.example" } });
    await server.sql`update users set email = 'alice@example.com' where id = ${alice.id}`;
    const { status, json } = await server.anonymous("GET /users/alice");
    expect([status, json]).toEqual([
      200,
      {
        id: alice.id,
        handle: "alice",
        name: "Alice",
        bio: "Hi",
        website: "https://a.example",
        avatarUrl: null,
        url: `${server.url}/alice`,
        roles: ["user"],
        counts: { prompts: 0, makes: 0, posts: 0, stars: 0 },
        createdAt: expect.any(String),
      },
    ]);
  });

  test("counts only what is public, for its owner too", async () => {
    const dave = await server.join("dave");
    await publish(dave, "public");
    await publish(dave, "private", { visibility: "private" });
    await publish(dave, "unlisted", { visibility: "unlisted" });
    await publish(dave, "draft", { publish: false });
    await publish(dave, "deleted");
    await server.sql`update prompts set deleted_at = clock() where slug = 'deleted'`;
    expect((await server.anonymous("GET /users/dave")).json.counts.prompts).toBe(1);
    expect((await dave.request("GET /users/dave")).json.counts.prompts).toBe(1);
  });

  test("is found by a former handle, of which each leads to its account", async () => {
    for (const handle of ["hana", "ivan"]) {
      const { id } = await server.join(`${handle}-now`);
      await server.sql`insert into former_handles (handle, user_id) values (${handle}, ${id})`;
    }
    const { status, headers } = await server.anonymous("GET /users/ivan");
    expect([status, headers.get("location")]).toEqual([301, `${server.url}/api/v1/users/ivan-now`]);
  });

  test("is shown while it is suspended", async () => {
    await server.join("mallory", { suspended: true });
    expect((await server.anonymous("GET /users/mallory")).status).toBe(200);
  });

  test.for(["nobody", "Alice", "a--b", "x".repeat(40), "%00"])("is not found as %j", async (handle) => {
    const answer = await server.anonymous(`GET /users/${handle}`);
    expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"]);
  });

  test("has a weak ETag, which changes with its content, except counts", async () => {
    const erin = await server.join("erin");
    const tag = async () => (await server.anonymous("GET /users/erin")).headers.get("etag");
    const first = await tag();
    expect(first).toMatch(/^W\/"1\./);
    await publish(erin, "one");
    expect(await tag()).toBe(first);
    await erin.request("PATCH /me", { body: { name: "Erin" } });
    expect(await tag()).toMatch(/^W\/"2\./);
  });
});
