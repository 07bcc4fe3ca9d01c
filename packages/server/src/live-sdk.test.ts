import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Client, createClient } from "@promptreg/client";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../test/harness.ts";
import { commit, moveLabel, publish } from "../test/prompts.ts";

let database: TestDatabase;
let here: TestServer;
let there: TestServer;
let alice: Person;
let bob: Person;
const clients: Client[] = [];

beforeAll(async () => {
  database = await createDatabase();
  here = await startTestServer({ database });
  there = await startTestServer({ database });
  alice = await here.join("alice");
  bob = await here.join("bob");
  await publish(alice, "reply", { versions: 2 });
  await moveLabel(alice, "reply", "production");
  await publish(alice, "own", { visibility: "private", labels: ["production"] });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await here.stop();
  await there.stop();
  await database.drop();
});

/** An application whose labels are fresh for an hour, so that it sees a move by live updates alone. */
function applicationOf({ token }: Person) {
  let lists = 0;
  const client = createClient({
    baseUrl: there.url,
    token,
    cache: { live: true, ttlMs: 3_600_000 },
    onAttempt: ({ operation }) => void (lists += operation === "prompts.list" ? 1 : 0),
  });
  clients.push(client);
  // The first list is answered at once.
  const waits = () => vi.waitUntil(() => lists > 1, { timeout: 20_000 });
  return { client, waits };
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

describe("an application with live updates", () => {
  test("sees what moves on another server, its own private prompts too", async () => {
    const [mine, others] = [applicationOf(alice), applicationOf(bob)];
    const reply = ({ client }: typeof mine) => client.prompt("alice/reply@production").get();
    const own = mine.client.prompt("alice/own@production");
    expect([(await reply(mine)).version, (await reply(others)).version, (await own.get()).version]).toEqual([
      1, 1, 1,
    ]);
    await Promise.all([mine.waits(), others.waits()]);
    await moveLabel(alice, "reply", "production", 2);
    await commit(alice, "own", "Two", { labels: ["production"] });
    await until(async () => {
      const seen = [await reply(mine), await reply(others), await own.get()];
      expect(seen.map(({ version }) => version)).toEqual([2, 2, 2]);
    });
  });

  test("loses a prompt that turned private", async () => {
    const { client, waits } = applicationOf(bob);
    const reply = client.prompt("alice/reply@production");
    expect((await reply.get()).version).toBe(2);
    await waits();
    await alice.request("PATCH /prompts/alice/reply", { body: { visibility: "private" } });
    await until(async () => {
      await expect(reply.get()).rejects.toMatchObject({ status: 404 });
    });
  });

  test("loads all prompts of its account with one request for a hundred", async () => {
    const client = createClient({ baseUrl: there.url, token: alice.token });
    await client.warmUp({ owner: "alice", label: "production" });
    expect(client.cache.size).toBe(2);
    const { source, etag } = await client.prompt("alice/own@production").get();
    const alone = await client.prompts
      .get({ owner: "alice", slug: "own", query: { view: "version", label: "production" } })
      .withResponse();
    expect([source, etag]).toEqual(["memory", alone.response.headers.get("etag")]);
  });
});
