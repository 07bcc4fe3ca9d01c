import { apiError } from "@promptreg/core/errors";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { fanOut } from "../../../test/notified.ts";
import { commit, publish } from "../../../test/prompts.ts";
import type { Failures } from "../../kernel/failures/failures.ts";
import { openFanOut } from "./fan-out.sql.ts";

// No worker runs here: events are fanned out by hand.
let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  [alice, bob] = [await server.join("alice"), await server.join("bob")];
  for (const who of [alice, bob]) {
    await publish(who, "p");
    await who.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } });
  }
});
beforeEach(async () => {
  await server.setClock("2030-01-01T12:00:00.000Z");
  await server.sql`truncate events, deliveries`;
});
afterAll(() => server.stop());

/** Something happens to a prompt of someone; gives the id of the event. */
async function happen(who: Person): Promise<string> {
  await commit(who, "p", String(Math.random()));
  const [event] = await server.sql<{ id: string }[]>`
    select id from events where ${who.id} = any (account_ids) order by created_at desc limit 1`;
  return event?.id ?? "";
}
const delivered = async () =>
  (await server.sql<{ id: string }[]>`select event_id as id from deliveries order by id`).map(({ id }) => id);
/** Has the prompt of alice watched by accounts with a webhook each. */
async function addWatchers(count: number): Promise<void> {
  const { sql } = server;
  await sql`insert into users (handle) select 'w' || i from generate_series(1, ${count}::int) i`;
  await sql`
    insert into watches (prompt_id, user_id, level) select p.id, u.id, 'all'
    from prompts p, users u where p.owner_id = ${alice.id} and u.handle ~ '^w\\d'`;
  await sql`
    insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint)
    select id, 'http://127.0.0.1:1/', '', '', '' from users where handle ~ '^w\\d'`;
}

describe("events", () => {
  test("that happened together reach a webhook in the order in which they happened", async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 20; nth++) ids.push(await happen(alice));
    await fanOut(server);
    const sent = await server.sql<
      { id: string }[]
    >`select event_id as id from deliveries order by next_attempt_at`;
    expect(sent.map(({ id }) => id)).toEqual(ids);
  });

  test("do not wait for one that fails, which is tried again by the next complete run", async () => {
    const { sql } = server;
    const before = await happen(alice);
    const broken = await happen(alice);
    const after = await happen(bob);
    const [{ body } = { body: Buffer.of() }] = await sql<{ body: Buffer }[]>`
      select body from events where id = ${broken}`;
    await sql`update events set body = 'no JSON' where id = ${broken}`;
    const reported: unknown[] = [];
    const failures = { report: (_: unknown, about: unknown) => void reported.push(about), stop() {} };
    const run = openFanOut({ ...server.context, failures }, async () => {});
    await run({ isComplete: false });
    expect(new Set(await delivered())).toEqual(new Set([before, after]));
    expect(reported).toEqual([{ operation: "fan-out" }]);
    await run({ isComplete: false });
    expect(reported).toHaveLength(1);
    await sql`update events set body = ${body} where id = ${broken}`;
    await run({ isComplete: true });
    expect(new Set(await delivered())).toEqual(new Set([before, broken, after]));
  });

  test("that are old are found by a complete run alone", async () => {
    const id = await happen(alice);
    await server.setClock("2030-01-01T12:02:01.000Z");
    const run = openFanOut(server.context, async () => {});
    await run({ isComplete: false });
    expect(await delivered()).toEqual([]);
    await run({ isComplete: true });
    expect(await delivered()).toEqual([id]);
  });

  test("are fanned out in one run, however many they are", async () => {
    const labels = Array.from({ length: 44 }, (_, nth) => `l${nth}`);
    await commit(alice, "p", String(Math.random()), { labels });
    await fanOut(server);
    expect(await delivered()).toHaveLength(45);
  });

  test("wait while the database is away, and none is left out then", async () => {
    const id = await happen(alice);
    const failures = { report: vi.fn<Failures["report"]>() };
    const broken = {
      get mailer(): null {
        throw apiError("unavailable");
      },
    };
    const { sql, publicUrl } = server.context;
    const run = openFanOut(Object.assign(broken, { sql, publicUrl, failures }), async () => {});
    await expect(run({ isComplete: true })).rejects.toMatchObject({ code: "unavailable" });
    await server.sql`alter table events rename to events_away`;
    await expect(run({ isComplete: true })).rejects.toThrow(/events/);
    await server.sql`alter table events_away rename to events`;
    expect(failures.report).not.toHaveBeenCalled();
    await fanOut(server);
    expect(await delivered()).toContain(id);
  });

  test("that an open transaction holds are left to it", async () => {
    const held = await happen(alice);
    const free = await happen(bob);
    await server.sql.begin(async (tx) => {
      await tx`select from events where id = ${held} for update`;
      await fanOut(server);
      expect(await delivered()).toEqual([free]);
    });
    await fanOut(server);
    expect(new Set(await delivered())).toEqual(new Set([free, held]));
  });
});

describe("an event that goes to many", () => {
  const watchers = 1_200;
  beforeAll(() => addWatchers(watchers));

  test("goes on where it was interrupted, in another process, and reaches each once", async () => {
    await happen(alice);
    const stopped = openFanOut(server.context, () => Promise.reject(new Error("killed")));
    await stopped({ isComplete: false });
    const begun = (await delivered()).length;
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(watchers);
    const woken: string[] = [];
    await fanOut(server, async (ids) => void woken.push(...ids));
    const [count] = await server.sql`
      select count(*)::int as all, count(distinct webhook_id)::int as webhooks from deliveries`;
    expect(count).toEqual({ all: watchers + 1, webhooks: watchers + 1 });
    const { count: notified } =
      await server.sql`select from notifications n join users u on u.id = n.user_id where handle ~ '^w'`;
    expect(notified).toBe(watchers);
  });

  test("is shared by processes that come at once", async () => {
    await happen(alice);
    await Promise.all(Array.from({ length: 4 }, () => fanOut(server)));
    await fanOut(server);
    const [count] = await server.sql`
      select count(*)::int as all, count(distinct webhook_id)::int as webhooks from deliveries`;
    expect(count).toEqual({ all: watchers + 1, webhooks: watchers + 1 });
  });

  test("holds up none that comes after it", async () => {
    const large = await happen(alice);
    const small = await happen(bob);
    const order: (string | null)[] = [];
    await fanOut(server, async () => {
      const [state] = await server.sql<{ large: boolean; small: boolean }[]>`
        select bool_or(id = ${large} and fanned_out_at is null) as large,
          bool_or(id = ${small} and fanned_out_at is null) as small from events`;
      order.push(state?.large ? (state.small ? "both wait" : "the large one waits") : null);
    });
    expect(order[0]).toBe("the large one waits");
  });
});
