import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const filesOf = (n: number) => [
  { path: "PROMPT.md", content: `text ${n} for {{name}}` },
  { path: "scripts/run", content: "#!/bin/sh\n", mode: "100755" },
  { path: "dot.png", content: "iVBORw0KGgo=", encoding: "base64" },
];

/** Makes a prompt of alice's with some versions, each with its own text, and gives its id. */
async function create(
  slug: string,
  { versions = 2, ...fields }: { versions?: number; publish?: boolean; visibility?: string } = {},
) {
  const { id } = await publish(alice, slug, { files: filesOf(1), ...fields });
  for (let n = 2; n <= versions; n++) {
    await alice.request(`POST /prompts/alice/${slug}/versions`, { body: { files: filesOf(n) } });
  }
  return id as string;
}
interface Asking {
  who?: Person;
  body?: object;
  headers?: Record<string, string>;
}
const restore = (slug: string, n: number, { who = alice, ...options }: Asking = {}) =>
  who.request(`POST /prompts/alice/${slug}/versions/${n}/restore`, options);
const version = async (slug: string, n: number) =>
  (await alice.request(`GET /prompts/alice/${slug}/versions/${n}`)).json;

describe("restoring a version", () => {
  test("makes a new version with the same content, and its own number, author, origin and time", async () => {
    await create("again");
    const answer = await restore("again", 1, { body: { message: "Back to the first" } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${server.url}/api/v1/prompts/alice/again/versions/3`);
    expect(answer.json).toMatchObject({
      n: 3,
      message: "Back to the first",
      origin: { type: "restore", versionNumber: 1 },
      author: { id: alice.id, handle: "alice" },
      warnings: [],
    });
    expect(answer.json.files[0]).not.toHaveProperty("content");
    const [first, third] = [await version("again", 1), await version("again", 3)];
    const { id, createdAt } = third;
    expect(third).toEqual({
      ...first,
      id,
      createdAt,
      n: 3,
      message: "Back to the first",
      origin: answer.json.origin,
    });
    expect(id).not.toBe(first.id);
    expect((await server.anonymous("GET /prompts/alice/again")).json).toMatchObject({
      latestVersion: 3,
      version: { n: 3 },
    });
  });

  test("needs no body", async () => {
    await create("silent");
    const { status, json } = await restore("silent", 1);
    expect([status, json.message]).toEqual([201, null]);
  });

  test("emits one event, about a new version", async () => {
    const id = await create("told", { versions: 3 });
    const { json } = await restore("told", 2, { body: { message: "Back" } });
    const events = await server.sql<{ name: string; data: any }[]>`
      select name, convert_from(body, 'UTF8')::json -> 'data' as data from events where prompt_id = ${id}
      order by created_at offset 3`;
    expect(events).toEqual([
      {
        name: "prompt.version.created",
        data: expect.objectContaining({
          version: {
            id: json.id,
            versionNumber: 4,
            message: "Back",
            contentHash: json.contentHash,
            origin: { type: "restore", versionNumber: 2 },
            url: `${server.url}/alice/told@4`,
          },
        }),
      },
    ]);
  });

  test("stores no content a second time", async () => {
    await create("shared");
    const count = async () => (await server.sql`select from blobs`).count;
    const before = await count();
    expect((await restore("shared", 1)).status).toBe(201);
    expect(await count()).toBe(before);
  });

  test("that equals the latest one is refused", async () => {
    await create("equal");
    await restore("equal", 1);
    for (const n of [1, 3]) {
      const { status, json } = await restore("equal", n);
      expect([status, json.error.code, json.error.message]).toEqual([
        409,
        "no_changes",
        "The files equal those of version 3.",
      ]);
    }
  });

  test("works for a yanked one, even if all are yanked", async () => {
    await create("rescued", { versions: 1 });
    await alice.request("POST /prompts/alice/rescued/versions/1/yank");
    const { status, json } = await restore("rescued", 1);
    expect([status, json.n]).toEqual([201, 2]);
    expect((await server.anonymous("GET /prompts/alice/rescued")).json.latestVersion).toBe(2);
  });

  test("that does not exist answers 404, also for a draft prompt", async () => {
    await create("few");
    await create("draft", { publish: false, versions: 1 });
    for (const [slug, n] of [
      ["few", 3],
      ["few", 999_999_999],
      ["draft", 1],
    ] as const) {
      const { status, json } = await restore(slug, n);
      expect([status, json.error.message]).toEqual([404, `alice/${slug} has no version ${n}.`]);
    }
  });

  test("stops at 10,000 versions", async () => {
    const id = await create("full");
    await server.sql`update prompts set last_version = 10000 where id = ${id}`;
    expect((await restore("full", 1)).json.error.code).toBe("quota_exceeded");
  });

  test("is for the owner", async () => {
    await create("mine");
    const moderator = await server.join("moderator", { role: "moderator" });
    for (const who of [bob, moderator]) {
      expect((await restore("mine", 1, { who })).json.error.code).toBe("forbidden");
    }
  });

  beforeAll(() => create("strict"));
  test.for([{ message: "x".repeat(501) }, { message: "\0" }, { message: 1 }, []])(
    "refuses %j",
    async (body) => {
      const { status, json } = await restore("strict", 1, { body });
      expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("many times at once gives numbers without gaps", async () => {
    await create("many", { versions: 6 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => restore("many", n)));
    expect(answers.map(({ json }) => json.n).sort((a, b) => a - b)).toEqual([7, 8, 9, 10, 11]);
    for (const { json } of answers) {
      const source = await version("many", json.origin.versionNumber);
      expect((await version("many", json.n)).files).toEqual(source.files);
    }
  });

  test("of the same one twice at once succeeds once", async () => {
    await create("twice");
    const answers = await Promise.all([restore("twice", 1), restore("twice", 1)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
  });

  test("happens once with one Idempotency-Key", async () => {
    await create("key");
    const headers = { "idempotency-key": "restore" };
    const [first, second] = [await restore("key", 1, { headers }), await restore("key", 1, { headers })];
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
  });
});
