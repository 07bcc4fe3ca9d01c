import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { expectDone } from "../../../test/scenes.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
});
afterAll(() => server.stop());

describe("the account of a token", () => {
  test("is shown with the scopes of the token", async () => {
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

  test("is shown to every valid token, so that CI can check its own", async () => {
    for (const scope of ["read", "write", "evals:write"]) {
      const ci = await server.join("ci", { scopes: [scope] });
      expect((await ci.request("GET /me")).json.token.scopes).toEqual([scope]);
    }
  });

  test("is shown while it is suspended", async () => {
    const mallory = await server.join("mallory", { suspended: true });
    expect((await mallory.request("GET /me")).status).toBe(200);
  });

  test("never shows the token or its hash", async () => {
    const carol = await server.join("carol");
    const { text } = await carol.request("GET /me");
    expect(text).not.toContain("prt_");
    expect(text).not.toContain("hash");
  });

  test("lists all roles that its role includes", async () => {
    const rolesOf = async (handle: string, role: string) =>
      (await (await server.join(handle, { role })).request("GET /me")).json.roles;
    expect(await rolesOf("mod", "moderator")).toEqual(["user", "moderator"]);
    expect(await rolesOf("root", "admin")).toEqual(["user", "moderator", "admin"]);
  });

  test("shows the role of its token, and not one that the account has lost", async () => {
    const ex = await server.join("ex-moderator", { role: "moderator" });
    const roleOf = async () => (await ex.request("GET /me")).json.token.role;
    const become = (role: string) => server.sql`update users set role = ${role} where id = ${ex.id}`;
    expect(await roleOf()).toBe("moderator");
    await become("admin");
    expect(await roleOf()).toBe("moderator");
    await become("user");
    expect(await roleOf()).toBe("user");
    expect((await ex.request("PATCH /me", { body: {} })).json.token.role).toBe("user");
  });

  test("counts what is public, and what its quotas count", async () => {
    const dave = await server.join("dave");
    const make = (slug: string, fields: object) => publish(dave, slug, fields);
    await make("public", {});
    await make("private", { visibility: "private" });
    await make("unlisted", { visibility: "unlisted" });
    await make("draft", { publish: false });
    await make("deleted", {});
    await server.sql`update prompts set deleted_at = clock() where slug = 'deleted'`;
    for (const path of ["hook", "gone"])
      await expectDone(dave, "POST /webhooks", { url: `http://127.0.0.1:1/${path}` });
    await server.sql`update webhooks set deleted_at = clock() where url like '%/gone'`;
    for (const fields of [{ publish: true }, { publish: true, visibility: "unlisted" }, {}, { slug: "gone" }])
      await expectDone(dave, "POST /makes", { title: "A bot", body: "It greets", ...fields });
    await expectDone(dave, "DELETE /makes/gone");
    await server.sql`update users set trusted_author = true where id = ${dave.id}`;
    for (const title of ["Draft", "Read", "Gone"]) {
      const { id } = await expectDone(dave, "POST /posts", { title, body: "It says" });
      if (title !== "Draft") await expectDone(dave, `POST /posts/${id}/submit`, {});
      if (title === "Gone") await expectDone(dave, `DELETE /posts/${id}`);
    }
    await server.sql`
      insert into counter_changes (subject_id, name, delta)
      select id, 'stars', 1 from prompts where owner_id = ${dave.id}
      union all select id, 'stars', 10 from makes where owner_id = ${dave.id}`;
    await server.sql`update users set max_bytes = 7 where id = ${dave.id}`;
    expect((await dave.request("GET /me")).json).toMatchObject({
      counts: { prompts: 1, makes: 1, posts: 1, stars: 11 },
      quotas: {
        prompts: { used: 4 },
        makes: { used: 3 },
        posts: { used: 2 },
        webhooks: { used: 1 },
        bytes: { limit: 7 },
      },
    });
  });

  test("needs a token, and takes no parameters", async () => {
    const anonymous = await server.anonymous("GET /me");
    expect([anonymous.status, anonymous.json.error.code]).toEqual([401, "unauthenticated"]);
    const erin = await server.join("erin");
    expect((await erin.request("GET /me?handle=alice")).json.error.code).toBe("validation_failed");
    expect((await erin.request("GET /me?utm_source=mail")).status).toBe(200);
  });

  test("is never stored by shared caches", async () => {
    const frank = await server.join("frank");
    expect((await frank.request("GET /me")).headers.get("cache-control")).toBe("private, no-cache");
  });
});

test("the picture of an account is its own image, and an error names the field", async () => {
  const gus = await server.join("gus");
  const add = async (kind: string) =>
    (
      await server.sql`
        insert into media (owner_id, kind, media_type, status, size, sha256, sent_size, sent_sha256, link_secret)
        values (${gus.id}, ${kind}, 'image/png', 'ready', 1, '', 1, '', '') returning id`
    )[0]?.["id"];
  const choose = (avatarMediaId: string) => gus.request("PATCH /me", { body: { avatarMediaId } });
  expect((await choose(await add("image"))).json.avatarUrl).toContain("/media/med_");
  const { status, json } = await choose(await add("video"));
  expect([status, json.error.details[0].path]).toEqual([422, "/avatarMediaId"]);
});

describe("the profile of an account", () => {
  const change = (who: Person, body: object, headers = {}) => who.request("PATCH /me", { body, headers });
  const tagOf = async (who: Person) => (await who.request("GET /me")).headers.get("etag") ?? "";

  test("is changed field by field, and cleared by null", async () => {
    const alice = await server.join("ann");
    const said = { name: "Ann", bio: "Writes 📝", website: "https://ann.example/?a=b#c" };
    const { status, json, text } = await change(alice, said);
    expect([status, json]).toEqual([200, expect.objectContaining(said)]);
    expect((await alice.request("GET /me")).text).toBe(text);
    expect((await change(alice, { bio: null })).json).toMatchObject({ ...said, bio: null });
    expect((await change(alice, {})).json).toMatchObject({ ...said, bio: null });
    expect((await change(alice, { name: null, website: null })).json).toMatchObject({
      name: null,
      website: null,
    });
  });

  test("has preferences, and each stays until it is changed", async () => {
    const bea = await server.join("bea");
    const untouched = { showMature: false, emailDigest: false, emailTypes: ["webhook.disabled"] };
    const emailTypes = ["prompt.label.moved", "webhook.disabled"];
    expect((await bea.request("GET /me")).json.preferences).toEqual(untouched);
    await change(bea, { preferences: { showMature: true } });
    const { json } = await change(bea, { preferences: { emailTypes } });
    expect(json.preferences).toEqual({ showMature: true, emailDigest: false, emailTypes });
  });

  test.for<[string, object]>([
    ["an empty name", { name: "" }],
    ["a name of 101 characters", { name: "x".repeat(101) }],
    ["a biography of 501", { bio: "x".repeat(501) }],
    ["NUL", { bio: "a\0b" }],
    ["another handle", { handle: "root" }],
    ["an address for mail", { email: "a@example.com" }],
    ["a role", { roles: ["admin"] }],
    ["an unknown type of mail", { preferences: { emailTypes: ["ping"] } }],
    ["a type of mail twice", { preferences: { emailTypes: ["webhook.disabled", "webhook.disabled"] } }],
    ["an unknown preference", { preferences: { darkMode: true } }],
    ["a preference that is neither", { preferences: { showMature: null } }],
    ...[
      "javascript:alert(1)",
      "ftp://a.example",
      "//a.example",
      "a.example",
      "https:a.example",
      "https://",
      "https://user@a.example",
      "https://user:secret@a.example/",
      "https://a.example/\n",
      "https://a.example/ b",
      "https://a.example/\u0007",
      "https://a.example/\u202e",
      "https://a.example\\b",
      "https://a.example:99999",
      `https://a.example/${"x".repeat(2048)}`,
      "",
    ].map((website): [string, object] => [
      `the website ${JSON.stringify(website.slice(0, 40))}`,
      { website },
    ]),
  ])("cannot be %s, and nothing else of that request is applied", async ([, body]) => {
    const cleo = await server.join("cleo");
    const before = await cleo.request("GET /me");
    const answer = await change(cleo, { name: "Changed", ...body });
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
    const { name, bio, website, preferences } = (await cleo.request("GET /me")).json;
    expect({ name, bio, website, preferences }).toMatchObject({ name: null, bio: null, website: null });
    expect(preferences).toEqual(before.json.preferences);
  });

  test.for([
    "http://a.example",
    "https://a.example:8443/~me?q=@x",
    "https://[::1]/",
    "https://münchen.example",
  ])("can have the website %s", async (website) => {
    const cleo = await server.join("cleo-2");
    expect((await change(cleo, { website })).json.website).toBe(website);
  });

  test("has an ETag that begins with a revision, which only changes of the profile raise", async () => {
    const dora = await server.join("dora");
    expect(await tagOf(dora)).toMatch(/^W\/"1\./);
    await change(dora, { name: "Dora", preferences: { showMature: true } });
    await change(dora, { name: "Dora", preferences: { showMature: true }, bio: null });
    await change(dora, {});
    const tag = await tagOf(dora);
    expect(tag).toMatch(/^W\/"2\./);
    expect((await change(dora, { bio: "New" }, { "if-match": tag })).status).toBe(200);
    const late = await change(dora, { bio: "Newer" }, { "if-match": tag });
    expect([late.status, late.json.error.code]).toEqual([412, "precondition_failed"]);
  });

  test("is changed by one of several updates at once with the same If-Match", async () => {
    const eve = await server.join("eve");
    const headers = { "if-match": await tagOf(eve) };
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${eve.id} for update`,
      ["A", "B", "C", "D"].map((name) => () => change(eve, { name }, headers)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });

  test("keeps all of several changes at once to different fields", async () => {
    const fay = await server.join("fay");
    await Promise.all([
      change(fay, { name: "Fay" }),
      change(fay, { bio: "Hi" }),
      change(fay, { preferences: { showMature: true } }),
      change(fay, { preferences: { emailDigest: true } }),
    ]);
    expect((await fay.request("GET /me")).json).toMatchObject({
      name: "Fay",
      bio: "Hi",
      preferences: { showMature: true, emailDigest: true },
    });
    expect(await tagOf(fay)).toMatch(/^W\/"5\./);
  });
});
