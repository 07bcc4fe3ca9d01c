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

/** Makes a prompt of alice's with some versions, and gives its id. */
const create = async (slug: string, fields: object = {}): Promise<string> =>
  (await publish(alice, slug, fields)).id;
const put = (
  label: string,
  body: object,
  { who = alice, headers = {} }: { who?: Person; headers?: Record<string, string> } = {},
) => {
  const [slug, name] = label.split(":");
  return who.request(`PUT /prompts/alice/${slug}/labels/${name}`, { body, headers });
};
const movesOf = async (promptId: string) =>
  (
    await server.sql<{ body: Buffer }[]>`
      select body from events where prompt_id = ${promptId} and name = 'prompt.label.moved' order by created_at`
  ).map(({ body }) => JSON.parse(String(body)));

describe("a label", () => {
  test("is created with 201 and moved with 200", async () => {
    await create("moving", { versions: 2 });
    const created = await put("moving:production", { versionNumber: 1 });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      name: "production",
      versionNumber: 1,
      reason: null,
      updatedBy: { id: alice.id, handle: "alice" },
      system: false,
    });
    const moved = await put("moving:production", { versionNumber: 2, reason: "eval passed" });
    expect([moved.status, moved.json.versionNumber, moved.json.reason]).toEqual([200, 2, "eval passed"]);
    expect((await alice.request("GET /prompts/alice/moving")).json.labels).toEqual({ production: 2 });
  });

  test("emits an event with its versions, reason and actor", async () => {
    const id = await create("telling", { versions: 2 });
    await put("telling:production", { versionNumber: 1 });
    await put("telling:production", { versionNumber: 2, reason: "eval passed" });
    expect(await movesOf(id)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
        event: "prompt.label.moved",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: {
          prompt: { id, ref: "alice/telling", url: `${server.url}/alice/telling` },
          actor: { id: alice.id, handle: "alice", url: `${server.url}/alice` },
          label: { name: "production", versionNumber: 1, reason: null },
          previousVersionNumber: null,
        },
      },
      expect.objectContaining({
        data: expect.objectContaining({
          label: { name: "production", versionNumber: 2, reason: "eval passed" },
          previousVersionNumber: 1,
        }),
      }),
    ]);
  });

  test("writes its history and an audit row", async () => {
    const id = await create("history", { versions: 2 });
    await put("history:production", { versionNumber: 1 });
    const sent = { "x-request-id": "ci-run-4711" };
    await put("history:production", { versionNumber: 2, reason: "better" }, { headers: sent });
    const moves = await server.sql`
      select from_n, to_n, reason, actor_id from label_moves where prompt_id = ${id} order by seq`;
    expect(moves).toEqual([
      { from_n: null, to_n: 1, reason: null, actor_id: alice.id },
      { from_n: 1, to_n: 2, reason: "better", actor_id: alice.id },
    ]);
    const audit = await server.sql`
      select actor_id, request_id, data from audit_log where target = ${id} and action = 'label.move' order by id`;
    expect(audit.length).toBe(2);
    expect(audit[1]).toEqual({
      actor_id: alice.id,
      request_id: "ci-run-4711",
      data: { name: "production", from: 1, to: 2, reason: "better" },
    });
  });

  test("moved to its present version changes nothing and emits no event", async () => {
    const id = await create("still");
    await put("still:production", { versionNumber: 1 });
    const before = await server.sql`select revision, last_event_at from prompts where id = ${id}`;
    const answer = await put("still:production", { versionNumber: 1, reason: "again" });
    expect([answer.status, answer.json.reason]).toEqual([200, null]);
    expect(await server.sql`select revision, last_event_at from prompts where id = ${id}`).toEqual(before);
    expect((await movesOf(id)).length).toBe(1);
    expect((await server.sql`select from audit_log where target = ${id}`).count).toBe(1);
  });

  test("cannot point to a yanked version", async () => {
    const id = await create("yanked", { versions: 2 });
    await server.sql`update versions set yanked_at = clock() where prompt_id = ${id} and n = 1`;
    const answer = await put("yanked:production", { versionNumber: 1 });
    expect([answer.status, answer.json.error.code]).toEqual([409, "version_yanked"]);
  });

  test("cannot point to a version that does not exist", async () => {
    await create("absent");
    for (const versionNumber of [2, 2_147_483_647]) {
      const answer = await put("absent:production", { versionNumber });
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"]);
    }
  });

  test("needs a published prompt", async () => {
    await create("draft", { publish: false });
    const answer = await put("draft:production", { versionNumber: 1 });
    expect([answer.status, answer.json.error.code]).toEqual([409, "prompt_not_published"]);
  });

  test("is one of at most 50", async () => {
    const id = await create("full", { versions: 2 });
    for (let i = 0; i < 50; i++) await put(`full:l${i}`, { versionNumber: 1 });
    const answer = await put("full:one-more", { versionNumber: 1 });
    expect([answer.status, answer.json.error.code]).toEqual([409, "quota_exceeded"]);
    expect((await put("full:l0", { versionNumber: 2 })).status).toBe(200);
    expect((await server.sql`select from labels where prompt_id = ${id}`).count).toBe(50);
  });

  test("can be moved only by the owner", async () => {
    await create("mine");
    const answer = await put("mine:production", { versionNumber: 1 }, { who: bob });
    expect([answer.status, answer.json.error.code]).toEqual([403, "forbidden"]);
  });

  beforeAll(() => create("strict"));

  test.for(["latest", "draft"])("%s is reserved", async (name) => {
    const answer = await put(`strict:${name}`, { versionNumber: 1 });
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
    expect(answer.json.error.details).toMatchObject([{ path: "/name" }]);
  });

  test("latest is computed, and is not deleted", async () => {
    const answer = await alice.request("DELETE /prompts/alice/strict/labels/latest");
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
    expect(answer.json.error.details).toMatchObject([{ path: "/name" }]);
  });

  test.for(["Production", "1st", "a..b", "a_", "%00", "a%20b", "é", "x".repeat(65)])(
    "cannot be named %s",
    async (name) => {
      const answer = await put(`strict:${name}`, { versionNumber: 1 });
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"]);
    },
  );

  test.for<object>([
    {},
    { versionNumber: "1" },
    { versionNumber: 0 },
    { versionNumber: 1e300 },
    { versionNumber: 1, reason: "x".repeat(281) },
    { versionNumber: 1, reason: "\ud800" },
    { versionNumber: 1, expectedVersion: 1 },
    { versionNumber: 1, expectedVersionNumber: 0 },
  ])("refuses a move with %j", async (body) => {
    const answer = await put("strict:production", body);
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
  });
});

describe("compare-and-set", () => {
  test("moves a label only from the expected version", async () => {
    const id = await create("expected", { versions: 3 });
    await put("expected:production", { versionNumber: 1, expectedVersionNumber: null });
    const refused = await put("expected:production", { versionNumber: 3, expectedVersionNumber: 2 });
    expect([refused.status, refused.json.error.code]).toEqual([409, "label_conflict"]);
    expect(refused.json.error.message).toBe(
      "The label production points to version 1. You expected version 2.",
    );
    expect((await put("expected:production", { versionNumber: 3, expectedVersionNumber: 1 })).status).toBe(
      200,
    );
    expect((await movesOf(id)).length).toBe(2);
  });

  test("with null expects that the label does not exist", async () => {
    await create("none");
    const expecting = async (expectedVersionNumber: number | null) => {
      const { status, json } = await put("none:production", { versionNumber: 1, expectedVersionNumber });
      return [status, json.error?.message];
    };
    expect(await expecting(1)).toEqual([409, "The label production does not exist. You expected version 1."]);
    expect(await expecting(null)).toEqual([201, undefined]);
    expect(await expecting(null)).toEqual([
      409,
      "The label production points to version 1. You expected no such label.",
    ]);
  });

  test("allows one of two moves at once that expect the same version", async () => {
    const id = await create("race", { versions: 3 });
    await put("race:production", { versionNumber: 1 });
    const answers = await Promise.all(
      [2, 3].map((versionNumber) => put("race:production", { versionNumber, expectedVersionNumber: 1 })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    const winner = answers.find(({ status }) => status === 200)?.json.versionNumber;
    expect((await alice.request("GET /prompts/alice/race")).json.labels).toEqual({ production: winner });
    expect((await movesOf(id)).map(({ data }) => data.label.versionNumber)).toEqual([1, winner]);
  });

  test("allows one of two creations at once of the same label", async () => {
    await create("first", { versions: 2 });
    const answers = await Promise.all(
      [1, 2].map((versionNumber) => put("first:production", { versionNumber, expectedVersionNumber: null })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
  });
});

describe("the order of moves", () => {
  test("is in createdAt: each is later than the one before, even if the clock stands still", async () => {
    const id = await create("ordered", { versions: 2 });
    await server.setClock("2031-05-01T12:00:00.000Z");
    for (const versionNumber of [1, 2, 1, 2]) await put("ordered:production", { versionNumber });
    expect((await movesOf(id)).map(({ createdAt }) => createdAt)).toEqual([
      "2031-05-01T12:00:00.000Z",
      "2031-05-01T12:00:00.001Z",
      "2031-05-01T12:00:00.002Z",
      "2031-05-01T12:00:00.003Z",
    ]);
  });

  test("is kept if the clock is set back", async () => {
    const id = await create("backwards", { versions: 2 });
    await server.setClock("2031-05-01T13:00:00.000Z");
    await put("backwards:production", { versionNumber: 1 });
    await server.setClock("2031-05-01T12:00:00.000Z");
    await put("backwards:production", { versionNumber: 2 });
    expect((await movesOf(id)).map(({ createdAt }) => createdAt)).toEqual([
      "2031-05-01T13:00:00.000Z",
      "2031-05-01T13:00:00.001Z",
    ]);
  });

  test("is the order in which concurrent moves took effect", async () => {
    const id = await create("chain", { versions: 10 });
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => put("chain:production", { versionNumber: i + 1 })),
    );
    const moves = await movesOf(id);
    expect(moves.map(({ data }) => data.previousVersionNumber)).toEqual([
      null,
      ...moves.slice(0, -1).map(({ data }) => data.label.versionNumber),
    ]);
  });
});

test("If-Match allows a move only if the prompt has not changed", async () => {
  await create("matched", { versions: 2 });
  const etag = (await alice.request("GET /prompts/alice/matched")).headers.get("etag") ?? "";
  const ifMatch = (value: string, versionNumber: number) =>
    put("matched:production", { versionNumber }, { headers: { "if-match": value } });
  expect((await ifMatch(etag, 1)).status).toBe(201);
  const stale = await ifMatch(etag, 2);
  expect([stale.status, stale.json.error.code]).toEqual([412, "precondition_failed"]);
  expect((await ifMatch("*", 2)).status).toBe(200);
});

test("deleting a label raises the prompt's revision, keeps the history and writes an audit row", async () => {
  const id = await create("deleting");
  await put("deleting:production", { versionNumber: 1 });
  const remove = () => alice.request("DELETE /prompts/alice/deleting/labels/production");
  const before = (await alice.request("GET /prompts/alice/deleting")).headers.get("etag");
  expect((await remove()).status).toBe(204);
  const after = await alice.request("GET /prompts/alice/deleting");
  expect([after.json.labels, after.headers.get("etag") === before]).toEqual([{}, false]);
  expect((await remove()).json.error).toMatchObject({
    code: "not_found",
    message: "alice/deleting has no label production.",
  });
  const moves = await server.sql`select from_n, to_n from label_moves where prompt_id = ${id} order by seq`;
  expect(moves.map((move) => [move["from_n"], move["to_n"]])).toEqual([
    [null, 1],
    [1, null],
  ]);
  const audit = await server.sql`
    select actor_id, data from audit_log where target = ${id} and action = 'label.delete'`;
  expect(audit).toEqual([{ actor_id: alice.id, data: { name: "production", from: 1 } }]);
});
