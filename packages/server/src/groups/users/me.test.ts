import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../test/harness.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe("the account behind a token", () => {
  test("is shown with what the token may do", async () => {
    const alice = await server.join("alice");
    const { status, json } = await alice.request("GET /me");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: alice.id,
      handle: "alice",
      name: null,
      email: null,
      url: `${server.url}/alice`,
      roles: ["user"],
      token: { name: "test", scopes: ["read", "write"], role: "user", expiresAt: null },
      quotas: { prompts: { used: 0, limit: 5000 }, webhooks: { used: 0, limit: 20 } },
    });
  });

  test("shows itself to every valid token, so that CI can check its own", async () => {
    for (const scope of ["read", "write", "evals:write"]) {
      const ci = await server.join("ci", { scopes: [scope] });
      expect((await ci.request("GET /me")).json.token.scopes).toEqual([scope]);
    }
  });

  test("shows itself while it is suspended", async () => {
    const mallory = await server.join("mallory", { suspended: true });
    expect((await mallory.request("GET /me")).status).toBe(200);
  });

  test("never shows the token or what is stored of it", async () => {
    const carol = await server.join("carol");
    const { text } = await carol.request("GET /me");
    expect(text).not.toContain("prt_");
    expect(text).not.toContain("hash");
  });

  test("has every role that its own includes", async () => {
    const rolesOf = async (handle: string, role: string) =>
      (await (await server.join(handle, { role })).request("GET /me")).json.roles;
    expect(await rolesOf("mod", "moderator")).toEqual(["user", "moderator"]);
    expect(await rolesOf("root", "admin")).toEqual(["user", "moderator", "admin"]);
  });

  test("counts what is public, and what its quotas are used for", async () => {
    const dave = await server.join("dave");
    const files = [{ path: "PROMPT.md", content: "Hi" }];
    const make = (slug: string, fields: object) =>
      dave.request("POST /prompts", { body: { kind: "text", slug, title: "A prompt", files, ...fields } });
    await make("public", {});
    await make("private", { visibility: "private" });
    await make("unlisted", { visibility: "unlisted" });
    await make("draft", { publish: false });
    await make("deleted", {});
    await server.sql`update prompts set deleted_at = clock() where slug = 'deleted'`;
    await dave.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/hook" } });
    expect((await dave.request("GET /me")).json).toMatchObject({
      counts: { prompts: 1 },
      quotas: { prompts: { used: 4 }, webhooks: { used: 1 } },
    });
  });

  test("needs a token, and takes no parameters", async () => {
    const anonymous = await server.anonymous("GET /me");
    expect([anonymous.status, anonymous.json.error.code]).toEqual([401, "unauthenticated"]);
    const erin = await server.join("erin");
    expect((await erin.request("GET /me?handle=alice")).json.error.code).toBe("validation_failed");
    expect((await erin.request("GET /me?utm_source=mail")).status).toBe(200);
  });

  test("is never kept by shared caches", async () => {
    const frank = await server.join("frank");
    expect((await frank.request("GET /me")).headers.get("cache-control")).toBe("private, no-cache");
  });
});
