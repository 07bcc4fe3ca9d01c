import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";
import type { Person } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import type { Sql } from "../../database/sql.ts";

let server: FixtureServer;
let alice: Person;
let promptId: string;

beforeAll(async () => {
  server = await startFixtures();
  alice = await server.real.join("alice");
  promptId = (await publish(alice, "hello", { visibility: "private" })).id;
});
afterAll(() => server.stop());

const retitle = (said: string, headers: Record<string, string> = {}) =>
  server.request("PATCH /prompts/alice/hello", { token: alice.token, body: { said }, headers });

/** Everything that a write can change. */
async function traces() {
  const [row] = await server.real.sql`
    select (select title from prompts where id = ${promptId}) as title,
      (select revision::int from prompts where id = ${promptId}) as revision,
      (select last_event_at from prompts where id = ${promptId}) as "lastEventAt",
      (select count(*)::int from events) as events, (select count(*)::int from audit_log) as audited,
      (select count(*)::int from graphile_worker.jobs) as jobs`;
  return row as Record<string, number>;
}

describe("a write", () => {
  test("commits its change, its event and its audit row together, and no job", async () => {
    const before = await traces();
    expect((await retitle("One", { "x-request-id": "the-request" })).status).toBe(200);
    expect(await traces()).toMatchObject({
      title: "One",
      revision: before["revision"]! + 1,
      events: before["events"]! + 1,
      audited: before["audited"]! + 1,
      jobs: before["jobs"]!,
    });
    const [transactions] = await server.real.sql`
      select p.xmin = e.xmin and e.xmin = a.xmin as "areOne"
      from prompts p, (select xmin from events order by created_at desc limit 1) e,
        (select xmin from audit_log order by id desc limit 1) a
      where p.id = ${promptId}`;
    expect(transactions?.["areOne"]).toBe(true);
  });

  test("is audited with its account, token and request", async () => {
    await retitle("Two", { "x-request-id": "another-request" });
    const [row] = await server.real.sql`
      select a.*, t.user_id from audit_log a join tokens t on t.id = a.token_id order by a.id desc limit 1`;
    expect(row).toMatchObject({
      action: "retitle",
      target: promptId,
      actor_id: alice.id,
      user_id: alice.id,
      request_id: "another-request",
      data: { title: "Two" },
    });
  });

  test.each(["conflict", "defect"])("that ends in a %s leaves nothing", async (how) => {
    const before = await traces();
    expect((await retitle(how)).status).toBe(how === "conflict" ? 409 : 500);
    expect(await traces()).toEqual(before);
    server.takeFaults();
  });

  test("of text that no column can store is refused, and leaves nothing", async () => {
    const before = await traces();
    const { status, json } = await retitle("a\0b");
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(await traces()).toEqual(before);
  });

  test("writes every event later than the one before, even if the clock stands still", async () => {
    await server.real.setClock("2031-01-01T00:00:00Z");
    for (const title of ["a", "b", "c"]) await retitle(title);
    const rows = await server.real.sql<{ at: string }[]>`
      select iso(created_at) as at from events where prompt_id = ${promptId} and created_at >= clock() order by id, created_at`;
    expect(rows.map(({ at }) => at).sort()).toEqual([
      "2031-01-01T00:00:00.000Z",
      "2031-01-01T00:00:00.001Z",
      "2031-01-01T00:00:00.002Z",
    ]);
  });
});

describe("a suspended account", () => {
  test("changes nothing, not even with operations that need no token", async () => {
    const mallory = await server.real.join("mallory", { suspended: true });
    for (const route of ["POST /touch", "POST /record"]) {
      const { status, json } = await server.request(route, { token: mallory.token, body: { said: "" } });
      expect([route, status, json?.error?.code]).toEqual([route, 403, "account_suspended"]);
    }
  });

  test.each([
    ["users set suspended_at = now()", 403, "account_suspended"],
    ["tokens set revoked_at = now()", 401, "invalid_token"],
  ])("changes nothing with a body that was still on its way: %s", async (change, status, code) => {
    const name = `slow-${status}`;
    const slow = await server.real.join(name);
    let finish = (): void => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"said":'));
        finish = () => {
          controller.enqueue(new TextEncoder().encode('"go"}'));
          controller.close();
        };
      },
    });
    const lockTokens = (sql: Sql) => sql`lock table tokens in access exclusive mode`;
    const answer = await server.real.sql.begin(async (sql) => {
      await lockTokens(sql);
      const sent = fetch(`${server.url}/api/v1/counts/${name}`, {
        method: "POST",
        headers: { authorization: `Bearer ${slow.token}`, "content-type": "application/json" },
        body,
        duplex: "half",
      } as RequestInit);
      await vi.waitFor(async () => {
        const waiting = await server.real
          .sql`select from pg_locks where not granted and relation = 'tokens'::regclass`;
        expect(waiting.length).toBe(1);
      });
      return { sent };
    });
    const sentMs = performance.now();
    await server.real.sql.begin(async (sql) => {
      // The request waited first, so it has seen the token when this has the lock.
      await lockTokens(sql);
      await sql.unsafe(`update ${change} where ${status === 403 ? "id" : "user_id"} = '${slow.id}'`);
    });
    const clock = vi.spyOn(performance, "now").mockReturnValue(sentMs + 60_000);
    finish();
    const response = await answer.sent;
    clock.mockRestore();
    expect([response.status, (await response.json()).error.code]).toEqual([status, code]);
    const counted = await server.real.sql`select 1 from audit_log where target = ${name}`;
    expect(counted.length).toBe(0);
  });

  test("can still read", async () => {
    const mallory = await server.real.join("mallory", { suspended: true });
    expect((await server.request("GET /text", { token: mallory.token })).status).toBe(200);
  });
});

describe("a token", () => {
  test("without the scope read still reads public things", async () => {
    const blind = await server.real.join("blind", { scopes: ["write"] });
    const { status, headers } = await server.request("GET /tagged/a", { token: blind.token });
    expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=0, must-revalidate"]);
  });

  test("of any scope works if the operation needs none", async () => {
    const ci = await server.real.join("ci", { scopes: ["evals:write"] });
    expect(await actingAs(ci.token)).toBe("ci as user");
  });

  test("has a role only as long as its account has it", async () => {
    const { token, id } = await server.real.join("wanda", { role: "moderator" });
    expect(await actingAs(token)).toBe("wanda as moderator");
    await server.real.sql`update users set role = 'admin' where id = ${id}`;
    expect(await actingAs(token)).toBe("wanda as moderator");
    await server.real.sql`update users set role = 'user' where id = ${id}`;
    expect(await actingAs(token)).toBe("wanda as user");
    const former = await server.real.join("former", { role: "admin" });
    await server.real.sql`update users set role = 'moderator' where id = ${former.id}`;
    expect(await actingAs(former.token)).toBe("former as user");
  });

  test("without a role has none, whatever role its account has", async () => {
    const { token, id } = await server.real.join("petra");
    await server.real.sql`update users set role = 'admin' where id = ${id}`;
    expect(await actingAs(token)).toBe("petra as user");
  });

  const actingAs = async (token: string) =>
    (await server.request("POST /record", { token, body: { said: "" } })).json.said;
});
