import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createDatabase, type Person, startTestServer, type TestServer } from "../../test/harness.ts";
import { parseDatabaseUrl } from "../database/connection.ts";
import { connect } from "../database/open.ts";
import { publish } from "../../test/prompts.ts";
import { type Pair, startPair } from "../../test/standby.ts";

const titles = async (who: Pick<Person, "request">, query = "sort=newest") =>
  ((await who.request(`GET /prompts?${query}`)).json.items as { slug: string }[]).map(({ slug }) => slug);

test("a server asks a replica that shows its beats", async () => {
  // The database is the same, so that it shows each beat at once.
  const database = await createDatabase();
  const server = await startTestServer({ database, replicas: [database.url] });
  const alice = await server.join("alice");
  await publish(alice, "greeting", { visibility: "public" });
  await vi.waitFor(() => expect(server.context.replicas.lags()[0]?.seconds).toBeLessThan(2), 10_000);
  expect(await titles(server.nobody)).toEqual(["greeting"]);
  await server.stop();
  await database.drop();
});

test("a server does without a replica that is away, and the log says so", { tags: "long" }, async () => {
  const database = await createDatabase();
  const away = new URL(database.url);
  away.port = "1";
  const lines: { msg: string; err?: { code: string } }[] = [];
  const log = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
  const server = await startTestServer({ database, replicas: [away.href, database.url], log });
  const alice = await server.join("alice");
  await publish(alice, "greeting", { visibility: "public" });
  expect(await titles(server.nobody)).toEqual(["greeting"]);
  await vi.waitFor(() => expect(server.context.replicas.lags()[1]?.seconds).toBeLessThan(2), 10_000);
  expect(server.context.replicas.lags()[0]?.seconds).toBe(Infinity);
  expect(await titles(server.nobody)).toEqual(["greeting"]);
  // A mistake in its address must not look like nothing.
  await vi.waitFor(
    () =>
      expect(lines).toContainEqual(
        expect.objectContaining({
          msg: "a replica is away, or its login may not read: the primary answers its reads",
          err: expect.objectContaining({ code: "ECONNREFUSED" }),
        }),
      ),
    20_000,
  );
  expect(lines.map(({ msg }) => msg)).toContain(
    "a replica answers reads, and is the primary itself, or was promoted",
  );
  await server.stop();
  await database.drop();
});

test("a replica whose login may not read is not asked, and the log says what it lacks", {
  tags: "long",
}, async () => {
  const database = await createDatabase();
  const role = `reader_${randomBytes(4).toString("hex")}`;
  const url = Object.assign(new URL(database.url), { username: role, password: "a-password" });
  const admin = connect(parseDatabaseUrl(database.url));
  await admin.unsafe(`
    create role ${role} login password 'a-password';
    grant usage on schema promptreg to ${role}; grant select on promptreg.replica_beats to ${role}`);
  const lines: { err?: { message: string } }[] = [];
  const log = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
  const server = await startTestServer({ database, replicas: [url.href], log });
  await vi.waitFor(
    () =>
      expect(lines.map(({ err }) => err?.message)).toContainEqual(
        expect.stringMatching(/may not read \w+: grant select on all tables in schema promptreg/),
      ),
    20_000,
  );
  expect(await titles(server.nobody)).toEqual([]);
  await server.stop();
  await admin.unsafe(`drop owned by ${role}; drop role ${role}`);
  await admin.end();
  await database.drop();
});

describe("a standby", { tags: "long" }, () => {
  let pair: Pair;
  let server: TestServer;
  let alice: Person;
  const log: { msg: string }[] = [];

  beforeAll(async () => {
    pair = await startPair();
    const database = { url: pair.primaryUrl, drop: async () => {} };
    server = await startTestServer({
      database,
      replicas: [pair.standbyUrl],
      metrics: { host: "127.0.0.1", port: 0 },
      log: { write: (line) => void log.push(JSON.parse(line) as { msg: string }) },
    });
    alice = await server.join("alice");
  });
  afterAll(async () => {
    await server?.stop();
    await pair?.stop();
  });

  const lag = () => server.context.replicas.lags()[0]?.seconds ?? Infinity;
  const isUsed = () => vi.waitFor(() => expect(lag()).toBeLessThan(1.5), 20_000);
  const pause = () => pair.standby`select pg_wal_replay_pause()`;
  const resume = () => pair.standby`select pg_wal_replay_resume()`;
  beforeEach(async () => {
    await resume();
    await isUsed();
  });

  test("answers lists and searches of callers without a token, and what they show is there", async () => {
    await publish(alice, "seen", { visibility: "public" });
    await vi.waitFor(async () => expect(await titles(server.nobody)).toContain("seen"), 10_000);
    await pause();
    await publish(alice, "later", { visibility: "public" });
    // What it lacks shows where a read went.
    expect(await titles(server.nobody)).not.toContain("later");
    expect(await titles(server.nobody, "q=later")).toEqual([]);
    expect(await titles(alice)).toContain("later");
  });

  test("is not asked for what applications go by, nor for a thing itself", async () => {
    await pause();
    await publish(alice, "exact", { visibility: "public" });
    await alice.request("PUT /prompts/alice/exact/labels/production", { body: { versionNumber: 1 } });
    const { json } = await server.anonymous("GET /prompts?owner=alice&label=production&view=version");
    expect(json.items.map(({ ref }: { ref: string }) => ref)).toContain("alice/exact");
    expect((await server.anonymous("GET /prompts/alice/exact")).status).toBe(200);
  });

  test("that knows nothing of a thing leaves its lists to the primary", async () => {
    await pause();
    await publish(alice, "unknown-there", { visibility: "public" });
    const { status, json } = await server.anonymous("GET /prompts/alice/unknown-there/versions");
    expect([status, json.items.length]).toEqual([200, 1]);
  });

  test("that is behind is asked no more, until it has caught up", async () => {
    log.length = 0;
    await pause();
    await publish(alice, "behind", { visibility: "public" });
    await vi.waitFor(async () => expect(await titles(server.nobody)).toContain("behind"), 10_000);
    expect(lag()).toBeGreaterThan(2);
    // The next look says so.
    await vi.waitFor(() =>
      expect(log.at(-1)?.msg).toBe("a replica is behind, or away: the primary answers its reads"),
    );
    await resume();
    await isUsed();
    await vi.waitFor(() => expect(log.at(-1)?.msg).toBe("a replica answers reads"));
  });

  test("that stops in the middle of a read leaves it to the primary", async () => {
    await publish(alice, "held", { visibility: "public" });
    await vi.waitFor(async () => expect(await titles(server.nobody)).toContain("held"), 10_000);
    const sessions = await pair.standby<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = 'replicated' and application_name = 'promptreg'`;
    const pids = sessions.map(({ pid }) => pid);
    expect(pids).not.toEqual([]);
    // As those of a machine that is frozen.
    for (const one of pids) process.kill(one, "SIGSTOP");
    try {
      expect(await titles(server.nobody)).toContain("held");
    } finally {
      for (const one of pids) process.kill(one, "SIGCONT");
    }
  });

  test("says in its figures how far it is behind", async () => {
    const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
    const [, seconds] =
      /^promptreg_replica_lag_seconds\{replica="127\.0\.0\.1:\d+"\} ([\d.]+)$/m.exec(text) ?? [];
    expect(Number(seconds)).toBeLessThan(2);
  });

  test("servers that are gone leave no beat for good", async () => {
    await server.sql`insert into replica_beats (process, beat, beaten_at) values ('gone', 1, clock() - interval '2 days')`;
    const other = await startTestServer({
      database: { url: pair.primaryUrl, drop: async () => {} },
      replicas: [pair.standbyUrl],
    });
    await vi.waitFor(async () => {
      expect(await server.sql`select from replica_beats where process = 'gone'`).toHaveLength(0);
    });
    await other.stop();
  });
});
