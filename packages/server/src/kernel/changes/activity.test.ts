import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { openActivity, type Traffic } from "./activity.ts";
import { deleteOldActivity } from "./activity.sql.ts";
import { selectCount } from "./counters.ts";

let server: TestServer;
let alice: Person;
let prompt: { id: string; ownerId: string };

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  await publish(alice, "greeting");
  const [row] = await server.sql<{ id: string }[]>`select id from prompts`;
  prompt = { id: row?.id ?? "", ownerId: alice.id };
});
afterAll(() => server.stop());

const open = (sql: unknown = server.sql) => {
  const failures = { report: vi.fn<(error: unknown) => void>(), stop: () => {} };
  const opened = openActivity({ sql: sql as typeof server.sql, failures });
  /** Somebody without a token does something. */
  const note = (
    network: string,
    { act = "download", referrer, ...about }: Partial<Traffic> & { referrer?: string } = {},
  ) =>
    opened.note({ act, subject: prompt, ...about }, { caller: null, network, userAgent: "node", referrer });
  return { failures, activity: { ...opened, note } };
};
const downloads = () => selectCount(server.sql, { subjectId: prompt.id, name: "downloads" });

test("two processes that note the same viewer count one, and wait for each other in no circle", async () => {
  await server.setClock("2030-01-01T12:00:00Z");
  const [one, two] = [open().activity, open().activity];
  for (let nth = 0; nth < 100; nth++) {
    one.note(`10.0.0.${nth}`);
    two.note(`10.0.0.${99 - nth}`);
  }
  await Promise.all([one.flush(), two.flush()]);
  expect(await downloads()).toBe(100);
});

test("what comes while a count takes long is counted after it, though nothing comes any more", {
  tags: "long",
}, async () => {
  await server.setClock("2030-01-15T12:00:00Z");
  const { activity } = open();
  const before = await downloads();
  await server.sql.begin(async (holder) => {
    await holder`lock table daily_figures in access exclusive mode`;
    activity.note("192.0.2.1");
    void activity.flush();
    activity.note("192.0.2.2");
    // Its timer rings while the first count still waits.
    await delay(1_500);
  });
  await vi.waitFor(async () => expect((await downloads()) - before).toBe(2), { timeout: 60_000 });
});

test("nothing is stored that names a viewer, and nobody can be followed to the next day", async () => {
  const { activity } = open();
  for (const day of ["2030-02-01", "2030-02-02"]) {
    await server.setClock(`${day}T12:00:00Z`);
    activity.note("192.0.2.7", { act: "open", target: "claude" });
    await activity.flush();
  }
  const rows = await server.sql<{ viewer: Buffer }[]>`select viewer from daily_viewers where act = 'open'`;
  expect(new Set(rows.map(({ viewer }) => viewer.toString("hex"))).size).toBe(2);
  expect(rows.every(({ viewer }) => !viewer.toString("latin1").includes("192.0.2.7"))).toBe(true);
});

test("the secret with which viewers are hashed is new each day, and gone two days later", async () => {
  const days = async () =>
    (await server.sql`select day::text from daily_salts order by day`).map(({ day }) => day as string);
  const { activity } = open();
  for (const day of ["2030-02-10", "2030-02-11", "2030-02-12"]) {
    await server.setClock(`${day}T12:00:00Z`);
    activity.note("192.0.2.7");
    await activity.flush();
    await deleteOldActivity(server.sql);
  }
  expect(await days()).toEqual(["2030-02-11", "2030-02-12"]);
  const salts = await server.sql`select distinct salt from daily_salts`;
  expect(salts.count).toBe(2);
});

test("two processes that begin a day at once have one secret", async () => {
  await server.setClock("2030-02-20T00:00:00Z");
  const processes = Array.from({ length: 8 }, () => open().activity);
  for (const activity of processes) activity.note("192.0.2.8");
  const before = await downloads();
  await Promise.all(processes.map((activity) => activity.flush()));
  expect((await downloads()) - before).toBe(1);
});

test.each([
  ["tools", "target", (nth: number) => ({ target: `tool-${nth}` })],
  ["referrers", "referrer", (nth: number) => ({ referrer: `https://host-${nth}.example/` })],
])(
  "beyond a hundred %s on a day the rest is one, whoever sends them, at once or one after the other",
  async (_, part, named) => {
    await server.setClock("2030-02-21T12:00:00Z");
    const { activity } = open();
    for (let nth = 0; nth < 90; nth++) activity.note("a", { act: "install", ...named(nth) });
    await activity.flush();
    for (let nth = 80; nth < 300; nth++) activity.note("a", { act: "install", ...named(nth) });
    await activity.flush();
    const figures = await server.sql<{ key: string; installs: number }[]>`
    select key, installs from daily_figures where part = ${part} and day = '2030-02-21' order by installs desc`;
    expect(figures.length).toBe(101);
    expect(figures[0]).toEqual({ key: "other", installs: 200 });
    expect(figures.slice(1, 11).every(({ installs }) => installs === 2)).toBe(true);
  },
);

test("acts wait while the database is away, and those that find no room are told of", async () => {
  await server.setClock("2030-03-01T12:00:00Z");
  let isAway = true;
  const sql = new Proxy(server.sql, {
    apply: (target, self, given) => {
      if (isAway) throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
      return Reflect.apply(target, self, given) as unknown;
    },
  });
  const { activity, failures } = open(sql);
  const before = await downloads();
  for (let nth = 0; nth < 10_005; nth++) activity.note(`network ${nth}`);
  await activity.flush();
  expect(failures.report.mock.calls.map(([error]) => (error as Error).message)).toEqual([
    "away",
    "5 acts were not counted",
  ]);
  isAway = false;
  await activity.stop();
  expect((await downloads()) - before).toBe(10_000);
});

test("acts are deleted after 30 days, and their number stays", async () => {
  const before = await downloads();
  // What the last release wrote.
  await server.sql`
    insert into activity (day, prompt_id, act, viewer, detail) values ('2030-03-01', ${prompt.id}, 'download', '', '')`;
  const leftAt = async (time: string) => {
    await server.setClock(time);
    await deleteOldActivity(server.sql);
    const [left] = await server.sql`
      select (select count(*)::int from daily_viewers where day >= '2030-03-01') as viewers,
        (select count(*)::int from activity) as before`;
    return left;
  };
  expect(await leftAt("2030-03-31T23:59:59Z")).toEqual({ viewers: 10_000, before: 1 });
  expect(await leftAt("2030-04-01T00:00:00Z")).toEqual({ viewers: 0, before: 0 });
  expect(await downloads()).toBe(before);
});

test("what the last requests noted is counted when the process stops", async () => {
  const before = await downloads();
  const other = await startTestServer({ database: server.database });
  const answer = await other.anonymous("GET /prompts/alice/greeting/download");
  expect(answer.status).toBe(200);
  await other.stop();
  expect(await downloads()).toBe(before + 1);
});
