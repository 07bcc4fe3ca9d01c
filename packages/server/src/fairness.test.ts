import { BlockList } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { publish } from "../test/prompts.ts";
import { Turns } from "./kernel/http/turns.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  const proxies = new BlockList();
  proxies.addAddress("127.0.0.1");
  Object.assign(server.context, { trustedProxies: proxies, turns: new Turns(2) });
});
afterAll(() => server.stop());

test("many requests of one address do not make another address wait", async () => {
  await publish(alice, "held");
  const edit = (title: string) =>
    alice.request("PATCH /prompts/alice/held", {
      body: { title },
      headers: { "x-forwarded-for": "192.0.2.1" },
    });
  const waitingForLock = async () =>
    (
      await server.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    ).count;
  const edits = await server.sql.begin(async (sql) => {
    await sql`select from prompts where slug = 'held' for update`;
    const sent = ["a", "b", "c", "d", "e"].map(edit);
    await vi.waitFor(async () => expect(await waitingForLock()).toBe(2));
    const other = await alice.request("GET /me", { headers: { "x-forwarded-for": "192.0.2.2" } });
    expect(other.status).toBe(200);
    // Two have sessions. The others wait without one.
    expect(await waitingForLock()).toBe(2);
    return { sent };
  });
  expect((await Promise.all(edits.sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});
