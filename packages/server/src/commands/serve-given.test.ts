import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { environmentOf as on, openCommandLine } from "../../test/commands.ts";
import { createDatabase, type TestDatabase } from "../../test/harness.ts";
import { cleanUp, type Ending, reasonOf, run, type ServerProcess, start } from "../../test/process.ts";
import { promptOf } from "../../test/prompts.ts";
import { exchange } from "../../test/requests.ts";
import { listen, until } from "../../test/waiting.ts";

let database: TestDatabase;
let empty: TestDatabase;
/** The maintenance database, from which the others can be shut and opened. */
let admin: postgres.Sql;

beforeAll(async () => {
  database = await createDatabase();
  empty = await createDatabase({ isEmpty: true });
  admin = postgres(inject("postgres").url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await cleanUp();
  await admin.end();
  await database.drop();
  await empty.drop();
});

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);
const sentence = /^promptreg-server: [^\n]+\n$/;
async function refusal(args: string[], env: Record<string, string>): Promise<string> {
  return expectRefused(await run(args, env));
}
/** Of what is refused before anything begins, so that no process is needed to see it. */
async function refusalHere(args: string[], env: Record<string, string>): Promise<string> {
  const commands = openCommandLine(env);
  try {
    return expectRefused(await commands.run(...args));
  } finally {
    commands.close();
  }
}
/** A sentence of a command, or the line of a server's log. */
function expectRefused({ code, stdout, stderr }: Ending): string {
  expect([code, stdout]).toEqual([1, ""]);
  if (stderr.startsWith("{")) reasonOf({ stderr });
  else expect(stderr).toMatch(sentence);
  return stderr;
}
const cut = (target: TestDatabase) => admin`
  select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${nameOf(target)}`;

describe("what is malformed in the environment is refused in one sentence that shows no password:", () => {
  const given = {
    DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/d",
    DATABASE_WAIT_SECONDS: "0",
    PROMPTREG_SECRET: "s".repeat(32),
  };
  test.each([
    ["PORT", { PORT: "80a" }],
    ["PROMPTREG_SECRET", { DATABASE_URL: given.DATABASE_URL, PROMPTREG_SECRET: "" }],
    ["LOG_LEVEL", { LOG_LEVEL: "loud" }],
    ["DRAIN_SECONDS", { DRAIN_SECONDS: "3s" }],
    ["DATABASE_WAIT_SECONDS", { DATABASE_WAIT_SECONDS: "601" }],
    ["PROMPTREG_SECRET", { PROMPTREG_SECRET: "hunter2".padEnd(31, "x") }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://u:hunter2@127.0.0.1/d" }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:99999/d" }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://u:hunter2@127.0.0.1/d?sslmode=maybe" }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://u:hunter2%@127.0.0.1/d" }],
  ])("%s of %j", async (name, env) => {
    const said = await refusalHere(["serve"], { ...given, ...env });
    expect(said).toContain(name);
    expect(said).not.toContain("hunter2");
  });

  test.each([
    ["nobody listens", "postgres://u:hunter2@127.0.0.1:1/d"],
    ["the host has no address", "postgres://u:hunter2@nowhere.invalid/d"],
  ])("a DATABASE_URL where %s", async (_, url) => {
    expect(await refusalHere(["serve"], { ...given, DATABASE_URL: url })).not.toContain("hunter2");
  });

  test("a DATABASE_URL with a wrong password or database", async () => {
    const wrong = new URL(inject("postgres").url);
    wrong.pathname = "/no-such-database";
    await refusalHere(["serve"], { ...given, DATABASE_URL: wrong.href });
    wrong.password = "hunter2";
    expect(await refusal(["user", "list"], { ...given, DATABASE_URL: wrong.href })).not.toContain("hunter2");
  });
});

describe("on an empty database", () => {
  test.each(["serve --no-migrate", "worker"])("%s refuses and says what to do", async (command) => {
    expect(await refusalHere(command.split(" "), on(empty))).toContain("or run `promptreg-server migrate`");
  });

  test("a command that looks for data makes no registry, and names where it looked", async () => {
    const { pathname } = new URL(empty.url);
    expect(await refusalHere(["user", "list"], on(empty))).toContain(
      `The database ${pathname.slice(1)} at 127.0.0.1:`,
    );
    const folder = mkdtempSync(join(tmpdir(), "promptreg-nothing-"));
    expect(await refusalHere(["export", join(folder, "export")], { PROMPTREG_DATA_DIR: folder })).toContain(
      `There is no database in ${folder}. Set PROMPTREG_DATA_DIR or DATABASE_URL`,
    );
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test("three servers that start at once all come up without a warning, and each migration ran once", {
    tags: "long",
  }, async () => {
    const env = { ...on(empty), NODE_ENV: "production" };
    const servers = await Promise.all(Array.from({ length: 3 }, () => start(["serve"], env)));
    for (const server of servers) {
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(server.output()).not.toContain("WARNING");
    }
    const sql = postgres(empty.url, { max: 1 });
    const names = (await sql`select name from promptreg.migrations`).map((row) => row["name"]);
    await sql.end();
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    const endings = await Promise.all(servers.map((server) => server.stop()));
    expect(endings.map(({ code }) => code)).toEqual([0, 0, 0]);
  });
});

test.each(["serve", "serve --no-worker", "worker"])(
  "the switch for unsafe webhooks keeps `%s` from starting in production",
  async (command) => {
    const env = { ...on(database), PROMPTREG_UNSAFE_WEBHOOKS: "1", NODE_ENV: "production" };
    expect(await refusalHere(command.split(" "), env)).toContain("refused when NODE_ENV is production");
  },
);

describe("a server without a worker, and a worker beside it", () => {
  let server: ServerProcess;
  let worker: ServerProcess;
  let token: string;
  let received = 0;
  const receiver = createServer((_, response) => {
    received++;
    response.end();
  });
  const unsafeWarning = /^ +WARNING .*network, and webhooks use plain http \(PROMPTREG_UNSAFE_WEBHOOKS=1\)$/m;
  let receiverUrl: string;
  beforeAll(async () => {
    receiverUrl = await listen(receiver);
  });
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  const env = () => ({ ...on(database), PROMPTREG_UNSAFE_WEBHOOKS: "1" });
  const call = (route: string, body?: object) => exchange(server.url, route, { token, body });
  const moveLabel = (name: string) =>
    call(`PUT /prompts/alice/greeting/labels/${name}`, { versionNumber: 1 });

  test("warn of unsafe webhooks, and deliver nothing until the worker is there", {
    tags: "long",
  }, async () => {
    server = await start(["serve", "--no-worker"], env());
    expect(server.output()).toContain("run `promptreg-server worker` to send deliveries");
    expect(server.output()).toMatch(unsafeWarning);
    const commands = openCommandLine(env());
    await commands.run("user", "add", "alice");
    token = (await commands.run("token", "create", "--user", "alice")).stdout.trim();
    commands.close();
    await call("POST /webhooks", { url: receiverUrl });
    const prompt = promptOf("greeting", { title: "Greeting", visibility: "private" });
    expect((await call("POST /prompts", prompt)).status).toBe(201);
    const sql = postgres(database.url, { max: 1 });
    const waiting = await sql`select from promptreg.events where fanned_out_at is null`;
    await sql.end();
    expect([waiting.count > 0, received]).toEqual([true, 0]);
    worker = await start(["worker"], env());
    expect(worker.output()).toMatch(unsafeWarning);
    expect(worker.output()).toMatch(/^Promptreg worker, ready in /m);
    await until(() => received === waiting.count);
  });

  /** A delivery that was under way when its session ended waits for the end of its lease. */
  async function settle(): Promise<void> {
    const sql = postgres(database.url, { max: 1 });
    await until(
      async () => (await sql`select from promptreg.deliveries where status = 'pending'`).count === 0,
    );
    await sql.end();
  }

  /** Ends all sessions, and lets the server hear of it: a request in that very moment may wait for the next session. */
  async function cutAll(): Promise<void> {
    await cut(database);
    for (let i = 0; i < 2; i++) expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  }

  test("outlive a database that ends all their sessions", { tags: "long" }, async () => {
    await settle();
    await cutAll();
    await until(async () => (await call("GET /me")).status === 200);
    const before = received;
    expect((await moveLabel("cut")).status).toBe(201);
    await until(() => received > before);
  });

  test("answer 503 while it cannot connect to the database, and work again once it does", {
    tags: "long",
  }, async () => {
    await settle();
    const name = nameOf(database);
    await admin.unsafe(`alter database ${name} allow_connections false`);
    await cutAll();
    for (let i = 0; i < 30; i++) {
      const { status, headers, json } = await call("GET /prompts/alice/greeting");
      expect([status, json.error.code]).toEqual([503, "unavailable"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await moveLabel("away")).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    await admin.unsafe(`alter database ${name} allow_connections true`);
    await until(async () => (await call("GET /prompts/alice/greeting")).status === 200);
    const before = received;
    expect((await moveLabel("back")).status).toBe(201);
    await until(() => received > before);
    for (const one of [server, worker]) expect((await one.stop()).code).toBe(0);
  });
});
