import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { promptOf, publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let moderator: Person;
let admin: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  moderator = await server.join("moderator", { role: "moderator" });
  admin = await server.join("admin", { role: "admin" });
});
afterAll(() => server.stop());

const create = (slug: string, fields: object = {}) => publish(alice, slug, fields);
const patch = (slug: string, body: object, { who = alice, headers = {} } = {}) =>
  who.request(`PATCH /prompts/alice/${slug}`, { body, headers });
const stateOf = async (id: string) =>
  (await server.sql`select revision::int, updated_at, slug, title, rating from prompts where id = ${id}`)[0];
const auditOf = (id: string) =>
  server.sql<{ action: string; actor: string; data: unknown }[]>`
    select action, actor_id as actor, data from audit_log where target = ${id} order by id`;

describe("editing a prompt", () => {
  test("changes what is sent and leaves the rest", async () => {
    await create("edited", { summary: "Says hello", license: "MIT", tags: ["a"] });
    const { status, json } = await patch("edited", { title: "A farewell", tags: ["b", "c"], summary: null });
    expect(status).toBe(200);
    expect(json).toMatchObject({ title: "A farewell", tags: ["b", "c"], summary: null, license: "MIT" });
    const cleared = await patch("edited", { license: null, rating: "sensitive", visibility: "unlisted" });
    expect(cleared.json).toMatchObject({
      title: "A farewell",
      license: null,
      rating: "sensitive",
      visibility: "unlisted",
    });
  });

  test("accepts a license in any case, and stores it in SPDX's spelling", async () => {
    await create("licensed", { license: "mit" });
    const { json } = await patch("licensed", { license: "(apache-2.0 or LicenseRef-own)" });
    expect(json.license).toBe("(Apache-2.0 OR LicenseRef-own)");
    const found = await alice.request("GET /prompts?owner=me&license=(apache-2.0%20OR%20LicenseRef-own)");
    expect(found.json.items).toMatchObject([{ slug: "licensed" }]);
  });

  test("accepts prompts with old values that are no longer valid: other fields can be edited", async () => {
    await create("earlier");
    const said = { title: "two\nlines", license: "The old one" };
    await server.sql`update prompts set ${server.sql(said)} where slug = 'earlier'`;
    expect((await alice.request("GET /prompts/alice/earlier")).json).toMatchObject(said);
    expect((await patch("earlier", { summary: "line\n\tline\r\n" })).json).toMatchObject(said);
  });

  test("answers like a read, with files without content, and with the same ETag", async () => {
    await create("answered");
    const { json, headers } = await patch("answered", { title: "Other" });
    const read = await alice.request("GET /prompts/alice/answered");
    delete read.json.version.files[0].content;
    expect(json).toEqual(read.json);
    expect(headers.get("etag")).toBe(read.headers.get("etag"));
    const draft = await create("answered-draft", { publish: false });
    const edited = await patch("answered-draft", { title: "Other" });
    expect(edited.json).toMatchObject({ id: draft.id, title: "Other", status: "draft", version: null });
  });

  test("has no effect without a change", async () => {
    const said = { title: "Same", summary: null, tags: ["a", "b"], license: null, visibility: "public" };
    const { id } = await create("same", said);
    const before = await stateOf(id);
    for (const body of [{}, said, { slug: "same", rating: "general" }]) {
      expect((await patch("same", body)).status).toBe(200);
    }
    expect(await stateOf(id)).toEqual(before);
    expect(await auditOf(id)).toEqual([]);
  });

  test("raises the revision once, and audits a change of visibility", async () => {
    const { id } = await create("audited");
    const { revision } = (await stateOf(id)) ?? {};
    await patch("audited", { title: "Other", visibility: "private" });
    expect((await stateOf(id))?.["revision"]).toBe(revision + 1);
    await patch("audited", { title: "Another" });
    await patch("audited", { visibility: "unlisted" }, { who: alice });
    expect(await auditOf(id)).toMatchObject([
      {
        action: "prompt.visibility",
        actor: alice.id,
        data: { from: { visibility: "public" }, to: { visibility: "private" } },
      },
      {
        action: "prompt.visibility",
        data: { from: { visibility: "private" }, to: { visibility: "unlisted" } },
      },
    ]);
  });

  test("is refused with an old ETag", async () => {
    await create("matched");
    const { headers } = await alice.request("GET /prompts/alice/matched");
    const etag = headers.get("etag") ?? "";
    const first = await patch("matched", { title: "First" }, { headers: { "if-match": etag } });
    expect(first.status).toBe(200);
    const late = await patch("matched", { title: "Late" }, { headers: { "if-match": etag } });
    expect(codeOf(late)).toEqual([412, "precondition_failed"]);
    const next = { "if-match": first.headers.get("etag") ?? "" };
    expect((await patch("matched", { title: "Second" }, { headers: next })).status).toBe(200);
  });

  test.for<[object, string]>([
    [{ title: "" }, "/title"],
    [{ title: null }, "/title"],
    [{ title: "x".repeat(121) }, "/title"],
    [{ title: "\0" }, "/title"],
    [{ title: "two\nlines" }, "/title"],
    [{ title: "two\u2028lines" }, "/title"],
    [{ title: "a \u001b[31mred title" }, "/title"],
    [{ title: "a \u202etitle that is turned round" }, "/title"],
    [{ summary: "a \u009bsummary" }, "/summary"],
    [{ summary: "a \u2067summary that is turned round" }, "/summary"],
    [{ summary: "x".repeat(281) }, "/summary"],
    [{ tags: null }, "/tags"],
    [{ tags: ["a", "a"] }, "/tags"],
    [{ license: "no licence!" }, "/license"],
    [{ license: "(MIT" }, "/license"],
    [{ license: "MIT AND AND" }, "/license"],
    [{ license: "LicenseRef" }, "/license"],
    [{ license: `${"(".repeat(99)}MIT${")".repeat(99)}` }, "/license"],
    [{ visibility: "hidden" }, "/visibility"],
    [{ rating: null }, "/rating"],
    [{ slug: "Not A Slug" }, "/slug"],
    [{ slug: null }, "/slug"],
    [{ kind: "chat" }, "/kind"],
  ])("refuses %j", async ([body, path]) => {
    const answer = await patch("edited", body);
    expect(codeOf(answer)).toEqual([422, "validation_failed"]);
    expect(answer.json.error.details[0].path).toBe(path);
  });
});

describe("who can edit:", () => {
  test("the owner and admins everything, moderators only the rating, others nothing", async () => {
    const { id } = await create("whose");
    expect((await patch("whose", { title: "By an admin" }, { who: admin })).status).toBe(200);
    expect((await patch("whose", { rating: "mature" }, { who: moderator })).status).toBe(200);
    const rating = "general";
    for (const body of [{ title: "No" }, { rating, title: "No" }, { rating, slug: "no" }, { slug: "no" }]) {
      const answer = await patch("whose", body, { who: moderator });
      expect(codeOf(answer)).toEqual([403, "forbidden"]);
    }
    expect(codeOf(await patch("whose", { rating: "general" }, { who: bob }))).toEqual([403, "forbidden"]);
    expect(await stateOf(id)).toMatchObject({ title: "By an admin", rating: "mature" });
    expect(await auditOf(id)).toMatchObject([
      { action: "prompt.moderate", actor: admin.id, data: { to: { title: "By an admin" } } },
      {
        action: "prompt.moderate",
        actor: moderator.id,
        data: { from: { rating: "general" }, to: { rating: "mature" } },
      },
    ]);
  });

  test("moderators edit their own prompts like anybody", async () => {
    await publish(moderator, "own");
    const path = "PATCH /prompts/moderator/own";
    expect((await moderator.request(path, { body: { title: "Mine" } })).json.title).toBe("Mine");
  });

  test("only the owner edits a private prompt or a draft, and nobody a deleted one", async () => {
    await create("secret", { visibility: "private" });
    await create("unborn", { publish: false });
    for (const slug of ["secret", "unborn"]) {
      for (const who of [bob, moderator, admin]) {
        expect(codeOf(await patch(slug, { rating: "mature" }, { who }))).toEqual([404, "not_found"]);
      }
      expect((await patch(slug, { rating: "mature" })).status).toBe(200);
    }
    await create("dead");
    await alice.request("DELETE /prompts/alice/dead");
    expect(codeOf(await patch("dead", { title: "No" }))).toEqual([410, "gone"]);
  });
});

describe("a former address", () => {
  const location = ({ status, headers }: Answer) => [
    status,
    headers.get("location")?.replace(`${server.url}/api/v1/prompts/`, ""),
  ];
  const get = (path: string, who: Person | null) =>
    (who ?? { request: server.anonymous }).request(`GET ${path}`);

  test("redirects forever, with its query and method", async () => {
    await create("a1");
    expect((await patch("a1", { slug: "b1" })).json.ref).toBe("alice/b1");
    expect((await patch("b1", { slug: "c1" })).json.url).toBe(`${server.url}/alice/c1`);
    for (const old of ["a1", "b1"]) {
      expect(location(await server.anonymous(`GET /prompts/alice/${old}?version=1&view=version`))).toEqual([
        301,
        "alice/c1?version=1&view=version",
      ]);
      expect(location(await bob.request(`HEAD /prompts/alice/${old}/raw`))).toEqual([301, "alice/c1/raw"]);
      expect(location(await server.anonymous(`GET /prompts/alice/${old}/versions/1`))).toEqual([
        301,
        "alice/c1/versions/1",
      ]);
      expect(location(await patch(old, { title: "No" }))).toEqual([308, "alice/c1"]);
      const put = `PUT /prompts/alice/${old}/labels/production`;
      expect(location(await alice.request(put, { body: { versionNumber: 1 } }))).toEqual([
        308,
        "alice/c1/labels/production",
      ]);
      expect(location(await alice.request(`DELETE /prompts/alice/${old}`))).toEqual([308, "alice/c1"]);
    }
    expect((await alice.request("GET /prompts/alice/c1")).json).toMatchObject({
      title: "A greeting",
      labels: {},
    });
  });

  test("redirects from the former name of an account too, to the prompt of that account alone", async () => {
    await server.sql`
      insert into former_handles (handle, user_id) values ('alice-then', ${alice.id}), ('bob-then', ${bob.id})`;
    await create("a0");
    await patch("a0", { slug: "b0" });
    await patch("b0", { slug: "c0" });
    await publish(bob, "a0");
    for (const [old, now] of [
      ["alice-then/a0", "alice/c0"],
      ["alice-then/c0", "alice/c0"],
      ["bob-then/a0", "bob/a0"],
    ])
      expect([old, location(await server.anonymous(`GET /prompts/${old}`))]).toEqual([old, [301, now]]);
    for (const address of ["bob-then/b0", "bob/b0"])
      expect(codeOf(await server.anonymous(`GET /prompts/${address}`))).toEqual([404, "not_found"]);
  });

  test("is not found by those who cannot see the prompt", async () => {
    await create("a2");
    await patch("a2", { slug: "b2" });
    await patch("b2", { visibility: "private" });
    await create("a3", { publish: false });
    await patch("a3", { slug: "b3" });
    for (const [old, now] of [
      ["a2", "b2"],
      ["a3", "b3"],
    ]) {
      for (const who of [null, bob, admin]) {
        expect(codeOf(await get(`/prompts/alice/${old}`, who))).toEqual([404, "not_found"]);
      }
      expect(location(await alice.request(`GET /prompts/alice/${old}`))).toEqual([301, `alice/${now}`]);
    }
    await alice.request("DELETE /prompts/alice/b2");
    expect(codeOf(await alice.request("GET /prompts/alice/a2"))).toEqual([410, "gone"]);
    expect(codeOf(await bob.request("GET /prompts/alice/a2"))).toEqual([404, "not_found"]);
  });

  test("stays taken for other and new prompts, but not for its own", async () => {
    await create("a4");
    await create("other4");
    await patch("a4", { slug: "b4" });
    expect(codeOf(await patch("other4", { slug: "a4" }))).toEqual([409, "slug_taken"]);
    expect(codeOf(await patch("other4", { slug: "b4" }))).toEqual([409, "slug_taken"]);
    const again = await alice.request("POST /prompts", { body: promptOf("a4") });
    expect(codeOf(again)).toEqual([409, "slug_taken"]);
    await publish(bob, "a4");
    expect((await patch("b4", { slug: "a4" })).json.ref).toBe("alice/a4");
    expect((await server.anonymous("GET /prompts/alice/a4")).status).toBe(200);
    expect(location(await server.anonymous("GET /prompts/alice/b4"))).toEqual([301, "alice/a4"]);
    await alice.request("DELETE /prompts/alice/a4");
    for (const slug of ["a4", "b4"])
      expect(codeOf(await patch("other4", { slug }))).toEqual([409, "slug_taken"]);
  });

  test("belongs to the owner, whoever renames", async () => {
    await create("a5");
    await publish(admin, "b5");
    expect((await patch("a5", { slug: "b5" }, { who: admin })).json.ref).toBe("alice/b5");
    expect(location(await server.anonymous("GET /prompts/alice/a5"))).toEqual([301, "alice/b5"]);
  });
});

describe("at the same time", () => {
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort((a, b) => a - b);
  const rounds = Array.from({ length: 8 }, (_, i) => i);

  test("one of two prompts gets the same slug", async () => {
    for (const i of rounds) {
      await Promise.all([create(`x-${i}`), create(`y-${i}`)]);
      const slug = `wanted-${i}`;
      expect(statuses(await Promise.all([patch(`x-${i}`, { slug }), patch(`y-${i}`, { slug })]))).toEqual([
        200, 409,
      ]);
    }
  });

  test("a new prompt or a renamed one gets the slug, not both", async () => {
    for (const i of rounds) {
      await create(`old-${i}`);
      const make = (slug: string) => alice.request("POST /prompts", { body: promptOf(slug) });
      const [renamed, ...made] = await Promise.all([
        patch(`old-${i}`, { slug: `new-${i}` }),
        make(`new-${i}`),
        make(`old-${i}`),
      ]);
      expect([200, 409]).toContain(renamed.status);
      expect(made.map(({ status }) => status)).toEqual([renamed.status === 200 ? 409 : 201, 409]);
    }
  });

  test("two prompts cannot exchange their slugs, and neither request waits forever", async () => {
    for (const i of rounds) {
      await Promise.all([create(`left-${i}`), create(`right-${i}`)]);
      const both = [patch(`left-${i}`, { slug: `right-${i}` }), patch(`right-${i}`, { slug: `left-${i}` })];
      expect(statuses(await Promise.all(both))).toEqual([409, 409]);
    }
  });

  test("an edit during a rename happens or is redirected", async () => {
    for (const i of rounds) {
      await create(`leaving-${i}`);
      const [renamed, edited] = await Promise.all([
        patch(`leaving-${i}`, { slug: `left-for-${i}` }),
        patch(`leaving-${i}`, { title: "Edited" }),
      ]);
      expect(renamed.status).toBe(200);
      expect([200, 308]).toContain(edited.status);
      const { json } = await server.anonymous(`GET /prompts/alice/left-for-${i}`);
      expect(json.title).toBe(edited.status === 200 ? "Edited" : "A greeting");
    }
  });
});
