import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(() => server.stop());

/** A prompt of alice's at version 1, or a draft. */
const create = (slug: string, fields: object = {}) =>
  publish(alice, slug, { files: filesOf("one"), ...fields });
const commit = (slug: string, body: object) =>
  alice.request(`POST /prompts/alice/${slug}/versions`, { body });

describe("getting a prompt", () => {
  test("shows it at its latest version, with the files", async () => {
    await create("latest", { summary: "Hi", tags: ["a"] });
    await commit("latest", { files: filesOf("two"), labels: ["production"] });
    const { json } = await server.anonymous("GET /prompts/alice/latest");
    expect(json).toMatchObject({
      ref: "alice/latest",
      owner: { id: alice.id, handle: "alice", name: null, avatarUrl: null, url: `${server.url}/alice` },
      summary: "Hi",
      tags: ["a"],
      latestVersion: 2,
      labels: { production: 2 },
      resolvedBy: { type: "latest", value: null },
      version: { n: 2, files: filesOf("two") },
    });
    expect(json).not.toHaveProperty("viewer");
  });

  test("shows the version or label of the query", async () => {
    await create("pinned");
    await commit("pinned", { files: filesOf("two") });
    await alice.request("PUT /prompts/alice/pinned/labels/production", { body: { versionNumber: 1 } });
    const get = async (query: string) => (await server.anonymous(`GET /prompts/alice/pinned?${query}`)).json;
    expect(await get("version=1")).toMatchObject({
      version: { n: 1 },
      resolvedBy: { type: "version", value: 1 },
    });
    expect(await get("label=production")).toMatchObject({
      version: { n: 1 },
      resolvedBy: { type: "label", value: "production" },
    });
    expect(await get("label=latest")).toMatchObject({ version: { n: 2 } });
  });

  test("answers 404 for an unknown version or label", async () => {
    await create("sparse");
    for (const query of [
      "version=2",
      "version=999999999",
      "label=production",
      "view=version&label=production",
    ]) {
      expect(codeOf(await server.anonymous(`GET /prompts/alice/sparse?${query}`))).toEqual([
        404,
        "not_found",
      ]);
    }
  });

  test("of a draft shows its owner that there is no version", async () => {
    await create("draft", { publish: false });
    expect((await alice.request("GET /prompts/alice/draft")).json).toMatchObject({
      status: "draft",
      latestVersion: null,
      version: null,
      viewer: { isOwner: true, canFork: false },
    });
    expect((await alice.request("GET /prompts/alice/draft?view=version")).json).toMatchObject({
      version: null,
    });
  });

  test("shows no version if all are yanked, but still a pinned one", async () => {
    const { id } = await create("yanked");
    await server.sql`update versions set yanked_at = clock() where prompt_id = ${id}`;
    await server.sql`update prompts set latest_version = null where id = ${id}`;
    const get = async (query: string) => (await server.anonymous(`GET /prompts/alice/yanked?${query}`)).json;
    expect(await get("")).toMatchObject({ latestVersion: null, version: null });
    expect(await get("version=1")).toMatchObject({ version: { n: 1 } });
    expect(await get("view=version&version=1")).toMatchObject({ yanked: true, version: { n: 1 } });
    expect(await get("view=version")).toMatchObject({ yanked: false, version: null });
  });

  test("shows the caller's relations to it", async () => {
    await create("viewed");
    const bob = await server.join("bob");
    await bob.request("PUT /prompts/alice/viewed/watch", { body: { level: "releases" } });
    expect((await bob.request("GET /prompts/alice/viewed")).json).toMatchObject({
      counts: { watchers: 1 },
      viewer: { isOwner: false, watchLevel: "releases", canEdit: false, canFork: true },
    });
    const admin = await server.join("admin", { role: "admin" });
    expect((await admin.request("GET /prompts/alice/viewed")).json.viewer).toMatchObject({
      isOwner: false,
      watchLevel: null,
      canEdit: true,
    });
    const own = (await alice.request("GET /prompts/alice/viewed")).json;
    expect(own.viewer).toMatchObject({ isOwner: true, watchLevel: "all", canEdit: true });
  });

  test("with view=version answers only what applications poll", async () => {
    await create("polled");
    const { json } = await server.anonymous("GET /prompts/alice/polled?view=version");
    expect(Object.keys(json).sort()).toEqual(["ref", "resolvedBy", "version", "yanked"]);
    expect(json).toMatchObject({ ref: "alice/polled", yanked: false, version: { n: 1 } });
  });

  test.for([
    "version=1&label=production",
    "version=01",
    "version=0",
    "version=-1",
    "version=99999999999999999999",
    "version=1&version=1",
    "label=",
    "label=%00",
    "view=short",
    "verison=1",
    "__proto__=1",
    `${"version=1&".repeat(1_000)}version=1`,
  ])("is refused for a query of %s", async (query) => {
    expect(codeOf(await alice.request(`GET /prompts/alice/latest?${query}`))).toEqual([
      422,
      "validation_failed",
    ]);
  });

  test.for([
    "alice/nothing",
    "nobody/latest",
    "Alice/latest",
    "alice/LATEST",
    "alice/a--b",
    "alice/%00",
    "alice/%ff",
    "alice/%2e%2e",
  ])("%s finds nothing", async (address) => {
    expect(codeOf(await alice.request(`GET /prompts/${address}`))).toEqual([404, "not_found"]);
  });

  test("answers 405 to other methods, and names the allowed ones", async () => {
    const answer = await alice.request("PUT /prompts/alice/latest", { body: {} });
    expect(codeOf(answer)).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE");
  });
});

describe("the ETag of a prompt", () => {
  const etag = async (query = "", who: Sender = server.nobody) =>
    (await who.request(`GET /prompts/alice/tagged${query}`)).headers.get("etag") ?? "";

  test("gives 304 until something of it changes", async () => {
    await create("tagged");
    const before = await etag();
    const held = () =>
      server.anonymous("GET /prompts/alice/tagged", { headers: { "if-none-match": before } });
    expect(before).toMatch(/^W\/"/);
    expect([(await held()).status, (await held()).text]).toEqual([304, ""]);
    await alice.request("PUT /prompts/alice/tagged/labels/production", { body: { versionNumber: 1 } });
    expect((await held()).status).toBe(200);
  });

  test("is different for each caller, because the body has their relations", async () => {
    expect(await etag("", alice)).not.toBe(await etag());
  });

  test("does not match another ETag or an invalid one", async () => {
    for (const path of ["", "?view=version", "/versions/1", "/raw"]) {
      const got = await server.anonymous(`GET /prompts/alice/tagged${path}`);
      const tag = (got.headers.get("etag") ?? "").replace("W/", "");
      for (const ifNoneMatch of [
        `x${tag}`,
        `${tag}x`,
        tag.slice(1),
        tag.slice(0, -1),
        tag.replace('"', "x"),
        tag.replace('"', '"x'),
      ]) {
        const again = await server.anonymous(`GET /prompts/alice/tagged${path}`, {
          headers: { "if-none-match": ifNoneMatch },
        });
        expect([ifNoneMatch, again.status, again.text]).toEqual([ifNoneMatch, 200, got.text]);
      }
    }
  });

  test("with view=version is strong, and changes only with the resolved version", async () => {
    const production = () => etag("?view=version&label=production");
    const latest = () => etag("?view=version");
    const [before, beforeLatest] = [await production(), await latest()];
    expect(before).toMatch(/^"/);
    await alice.request("PUT /prompts/alice/tagged/labels/staging", { body: { versionNumber: 1 } });
    expect(await production()).toBe(before);
    await commit("tagged", { files: filesOf("two") });
    expect(await production()).toBe(before);
    expect(await latest()).not.toBe(beforeLatest);
    await alice.request("PUT /prompts/alice/tagged/labels/production", { body: { versionNumber: 2 } });
    const moved = await production();
    expect(moved).not.toBe(before);
    await server.sql`update versions set yanked_at = clock() where n = 2`;
    expect(await production()).not.toBe(moved);
  });
});

test("content that the caller has already is neither read nor printed, and a version that was printed is not read again", async () => {
  const { id } = await create("unread", { files: filesOf("unread") });
  await alice.request("PUT /prompts/alice/unread/draft", { body: { files: filesOf("unread") } });
  const paths = [
    "",
    "?view=version",
    "?version=1",
    "/versions/1",
    "/versions/1?files=meta",
    "/raw",
    "/draft",
  ];
  const ask = (path: string, etag = "") =>
    alice.request(`GET /prompts/alice/unread${path}`, { headers: { "if-none-match": etag } });
  const etags = [];
  for (const path of paths) etags.push((await ask(path)).headers.get("etag") ?? "");
  // Breaks the draft and the files: only a request that does not read them succeeds.
  await server.sql`update drafts set files = '0' where prompt_id = ${id}`;
  await server.sql`
    update blobs set content = '\\xff' where sha256 in (
      select f.sha256 from version_files f join versions v on v.id = f.version_id where v.prompt_id = ${id})`;
  for (const [i, path] of paths.entries()) {
    expect([path, (await ask(path, `"other", ${etags[i]}`)).status]).toEqual([path, 304]);
  }
  for (const path of ["?view=version", "/versions/1"]) expect((await ask(path)).status).toBe(200);
  expect((await ask("/raw")).status).toBe(422);
});

test("every cache may store an anonymous response, and only the caller one with a token; both revalidate", async () => {
  await create("cached");
  const cacheControl = ({ headers }: Answer) => headers.get("cache-control");
  expect(cacheControl(await server.anonymous("GET /prompts/alice/cached"))).toBe(
    "public, max-age=0, must-revalidate",
  );
  expect(cacheControl(await alice.request("GET /prompts/alice/cached"))).toBe("private, no-cache");
});

describe("a request", () => {
  test("keeps its own id if that is valid", async () => {
    const idOf = async (id: string) =>
      (await alice.request("GET /prompts/alice/nothing", { headers: { "x-request-id": id } })).json.error
        .requestId;
    expect(await idOf("build-4711.2_x")).toBe("build-4711.2_x");
    for (const id of ["short", "has space in it", "x".repeat(129)]) expect(await idOf(id)).not.toBe(id);
  });

  test("with a mistyped, unknown, expired or revoked token is refused, even for a public prompt", async () => {
    await create("public");
    const stranger = await server.join("stranger");
    const get = (authorization: string) =>
      server.anonymous("GET /prompts/alice/public", { headers: { authorization } });
    const refused = [401, "invalid_token"];
    for (const header of [
      "Bearer",
      "Bearer prt_x",
      `Basic ${stranger.token}`,
      `Bearer ${stranger.token.slice(0, -1)}!`,
    ]) {
      expect(codeOf(await get(header))).toEqual(refused);
    }
    const bearer = `Bearer ${stranger.token}`;
    expect((await get(bearer)).status).toBe(200);
    await server.sql`update tokens set expires_at = clock() where user_id = ${stranger.id}`;
    expect(codeOf(await get(bearer))).toEqual(refused);
    await server.sql`update tokens set expires_at = null, revoked_at = clock() where user_id = ${stranger.id}`;
    expect(codeOf(await get(bearer))).toEqual(refused);
  });

  test("with a token without the scope read sees what anonymous callers see", async () => {
    await create("secret", { visibility: "private" });
    const ci = await server.join("alice", { scopes: ["evals:write", "write"] });
    const answer = await ci.request("GET /prompts/alice/public");
    expect(answer.status).toBe(200);
    expect(answer.json).not.toHaveProperty("viewer");
    expect((await ci.request("GET /prompts/alice/secret")).status).toBe(404);
  });
});

describe("visibility", () => {
  const people = ["anonymous", "stranger", "owner", "moderator", "admin"] as const;
  const reads = ["", "?view=version", "?version=1", "/versions/1", "/raw", "/raw?version=1"];
  /** Status by person, in the order above. A draft has no version, and only its owner sees that. */
  const sights: Record<string, number[]> = {
    public: [200, 200, 200, 200, 200],
    unlisted: [200, 200, 200, 200, 200],
    private: [404, 404, 200, 404, 404],
    draft: [404, 404, 200, 404, 404],
    "public-deleted": [410, 410, 410, 410, 410],
    "unlisted-deleted": [410, 410, 410, 410, 410],
    "private-deleted": [404, 404, 410, 404, 404],
    "draft-deleted": [404, 404, 410, 404, 404],
  };
  const callers = new Map<string, Sender>();

  beforeAll(async () => {
    callers.set("anonymous", { request: server.anonymous }).set("owner", alice);
    callers.set("stranger", await server.join("passer-by"));
    for (const role of ["moderator", "admin"]) callers.set(role, await server.join(role, { role }));
    for (const name of Object.keys(sights)) {
      const [kind = "", deleted] = name.split("-");
      const fields = kind === "draft" ? { publish: false } : { visibility: kind };
      const { id } = await create(`seen-${name}`, fields);
      if (deleted) await server.sql`update prompts set deleted_at = clock() where id = ${id}`;
    }
  });

  const table = Object.entries(sights).flatMap(([name, statuses]) =>
    people.map((who, i) => [name, who, statuses[i] ?? 0] as const),
  );
  test.for(table)("%s, to %s: %i", async ([name, who, status]) => {
    const answers = await Promise.all(
      reads.map(async (read) => callers.get(who)?.request(`GET /prompts/alice/seen-${name}${read}`)),
    );
    const ofDraft = [200, 200, 404, 404, 409, 409];
    expect(answers.map((answer) => answer?.status)).toEqual(
      name === "draft" && who === "owner" ? ofDraft : reads.map(() => status),
    );
  });

  test("a hidden prompt looks exactly like a missing one", async () => {
    const headers = { "x-request-id": randomUUID() };
    const routes = [
      ...reads.map((read) => ["GET", read, undefined] as const),
      ["GET", "?view=nothing", undefined] as const,
      ["GET", "/versions/7", undefined] as const,
      ["POST", "/versions", { files: filesOf("x") }] as const,
      ["PUT", "/labels/production", { versionNumber: 1 }] as const,
    ];
    const seen = ({ status, text, headers }: Answer) => {
      const rest = [...headers].filter(([name]) => name !== "date");
      return { status, text, headers: rest };
    };
    for (const hidden of ["seen-private", "seen-draft", "seen-private-deleted"]) {
      for (const who of ["stranger", "moderator", "admin"]) {
        for (const [method, rest, body] of routes) {
          const ask = (slug: string) =>
            callers.get(who)?.request(`${method} /prompts/alice/${slug}${rest}`, {
              body,
              headers: { ...headers, "if-match": '"1"' },
            });
          expect(seen((await ask(hidden)) as Answer)).toEqual(seen((await ask("never-was")) as Answer));
        }
      }
    }
  });
});
