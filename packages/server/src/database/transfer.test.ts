import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../test/harness.ts";
import { FolderStore } from "../kernel/store/folder-store.ts";
import { type DatabaseAddress, DatabaseSetupError, parseDatabaseUrl } from "./connection.ts";
import { connect } from "./open.ts";
import { exportDatabase, importDatabase, type Manifest, readManifest } from "./transfer.ts";

interface Side {
  address: DatabaseAddress;
  sql: postgres.Sql;
  close(): Promise<void>;
}

/** Nobody uploaded anything. */
const store = new FolderStore("/nowhere");
const keyId = "0123456789ab";
let from: Side;
/** An export of it, for tests to copy and damage. */
let exported: string;
let folder: string;

beforeAll(async () => {
  from = await openSide();
  await fill(from.sql);
  exported = newFolder();
  await exportFrom(from, exported);
});
afterAll(async () => {
  await from.close();
  rmSync(exported, { recursive: true });
});

beforeEach(() => {
  folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

const newFolder = () => mkdtempSync(join(tmpdir(), "promptreg-transfer-"));

async function openSide(): Promise<Side> {
  const database: TestDatabase = await createDatabase();
  const address = parseDatabaseUrl(database.url);
  const sql = connect(address);
  return {
    address,
    sql,
    async close() {
      await sql.end();
      await database.drop();
    },
  };
}

/** Rows whose text is hard to carry: what COPY escapes, what is no number, what looks like an end. */
async function fill(sql: postgres.Sql): Promise<void> {
  const texts = [
    "\\N",
    "\\.",
    "",
    "a\tb\\tc",
    "one\r\ntwo\n\\.\nthree",
    "\u{1F98A} é \u2028 \u0001",
    "'\"{},NULL",
  ];
  await sql`
    insert into users (handle, name, bio, suspended_at)
    select 'user-' || n, text, ${texts.join("\n")}, case when n = 1 then 'infinity'::timestamptz end
    from unnest(${texts}::text[]) with ordinality as t (text, n)`;
  await sql`insert into users (id, handle) values ('usr_1', 'fox')`;
  await sql`
    insert into tokens (user_id, name, hash, prefix, scopes)
    values ('usr_1', 't', ${Buffer.from(Array.from({ length: 256 }, (_, i) => i))}, 'prt_', ${texts})`;
  await sql`
    insert into prompts (id, owner_id, slug, kind, title, tags, visibility, rating, status, last_event_at)
    values ('prm_1', 'usr_1', 'p', 'text', 'P', '{poem}', 'public', 'general', 'published', '2026-08-01 12:00:00.123456Z')`;
  await sql`
    insert into versions (id, prompt_id, n, entry, content_hash, variables, config, token_estimate, author_id,
      author_handle, origin)
    values ('ver_1', 'prm_1', 1, '-', '-', 'null', '{"n": 1e400, "s": "\\u00e9\\n", "none": null}', 1, 'usr_1', 'fox', '[]')`;
  await sql`insert into labels values ('prm_1', 'latest', 1, null, clock(), 'usr_1')`;
  await sql`insert into label_moves (prompt_id, name, at) select 'prm_1', 'latest', clock() from generate_series(1, 3)`;
  await sql`
    insert into eval_runs (id, prompt_id, version_n, model, params, threshold)
    select 'run_' || n, 'prm_1', 1, 'm', '{}', value
    from unnest('{0.1,0.30000000000000004,5e-324,-0,NaN,Infinity}'::float8[]) with ordinality as t (value, n)`;
  await sql`
    insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint, lease_token)
    values ('usr_1', 'https://example.com', '\\x00ff', ${keyId}, 'abcd', gen_random_uuid())`;
  await sql`select make_partitions('events', '2020-02-29', 1), make_partitions('deliveries', '2020-02-29', 1)`;
  await sql`
    insert into events (day, id, name, account_ids, watch_levels, created_at, body)
    values ('2020-02-29', 'evt_1', 'ping', '{}', '{}', '2020-02-29', 'body')`;
  await sql`
    insert into deliveries (day, event_day, event_id, event, webhook_id, epoch)
    values ('2020-02-29', '2020-02-29', 'evt_1', 'ping', 'whk_1', 0)`;
  await sql`insert into rate_counts values ('read', 1, '-', 1)`;
  await sql`insert into audit_log (action, target, data) values ('a', 'b', '{}')`;
  await sql`insert into watches select 'prm_1', id, 'all' from users`;
  await sql`insert into blobs values (sha256('blob'), 'blob')`;
}

/** More than any buffer on the way takes at once, in small rows and in large ones. */
async function fillFurther(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into idempotency_keys (user_id, operation, key, request_hash, status, headers, body)
    select 'usr_1', 'op', n::text, sha256(n::text::bytea), 200, '{}', md5(n::text) from generate_series(1, 30000) n`;
  await sql`
    insert into blobs select sha256(content), content
    from (select decode(repeat(md5(n::text), 40000), 'hex') as content from generate_series(1, 8) n) c`;
}

const exportFrom = (side: Side, target = folder) =>
  exportDatabase(side.address, target, { release: "1.2.3", onTable: () => {}, store });

async function importInto(side: Side, source = folder, changes: Partial<Manifest> = {}): Promise<void> {
  const manifest = { ...(await readManifest(source, keyId)), ...changes };
  await importDatabase(side.address, source, { manifest, onTable: () => {}, store });
}

/** Every row of every table as text, by table. */
async function contents({ sql }: Side, tables: Manifest["tables"]): Promise<Record<string, unknown[]>> {
  const entries = tables.map(async ({ name }): Promise<[string, unknown[]]> => {
    const rows = await sql`select md5(t::text) as row from ${sql(name)} t order by row`;
    return [name, rows.map(({ row }) => row as unknown)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

const fileOf = (table: string, source = folder) => join(source, `${table}.tsv.gz`);
const unzip = (table: string, source = folder) => gunzipSync(readFileSync(fileOf(table, source))).toString();

describe("an export that is imported", () => {
  let to: Side;

  beforeAll(async () => {
    to = await openSide();
    await importInto(to, exported);
  });
  afterAll(() => to.close());

  test("gives back every row of every table as it was", async () => {
    const { tables } = await readManifest(exported, keyId);
    const before = await contents(from, tables);
    expect(await contents(to, tables)).toEqual(before);
    const [listed] = await from.sql`
      select count(*)::int as count from pg_class
      where relnamespace = 'promptreg'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relpersistence = 'p'`;
    expect(tables.length).toBe(listed?.["count"] - 2);
  });

  test("keeps text apart from NULL, and digits that a server may be set to leave out", async () => {
    const [user] = await to.sql`select name, bio, email from users where handle = 'user-1'`;
    expect(user).toMatchObject({ name: "\\N", email: null });
    expect(user?.["bio"]).toContain("two\n\\.\nthree\n\u{1F98A} é");
    const runs = await to.sql`select threshold from eval_runs order by id`;
    const thresholds = runs.map(({ threshold }) => threshold as unknown);
    expect(thresholds).toEqual([0.1, 0.30000000000000004, 5e-324, -0, NaN, Infinity]);
  });

  test("counts on where numbering was", async () => {
    const [move] = await to.sql`select nextval(pg_get_serial_sequence('label_moves', 'seq'))::int as next`;
    expect(move).toEqual({ next: 4 });
  });

  test("finds the days of its events in partitions of their own", async () => {
    const [event] = await to.sql`select tableoid::regclass::text as partition from events where id = 'evt_1'`;
    expect(event).toEqual({ partition: "events_20200229" });
  });

  test("gives back as well what no buffer on the way takes at once", { tags: "long" }, async () => {
    const [full, copy] = [await openSide(), await openSide()];
    await importInto(full, exported);
    await fillFurther(full.sql);
    const { tables } = await exportFrom(full);
    await importInto(copy);
    const before = await contents(full, tables);
    expect(before["idempotency_keys"]).toHaveLength(30_000);
    expect(await contents(copy, tables)).toEqual(before);
    await full.close();
    await copy.close();
  });

  test("survives a server that writes dates and numbers in other ways", { tags: "long" }, async () => {
    const [strange, last] = [await openSide(), await openSide()];
    const [{ name } = {}] = await strange.sql`select current_database() as name`;
    await strange.sql`alter database ${strange.sql(name)} set extra_float_digits = 0`;
    await strange.sql`alter database ${strange.sql(name)} set datestyle = 'SQL, DMY'`;
    await importInto(strange, exported);
    const { tables } = await exportFrom(strange);
    await importInto(last);
    expect(await contents(last, tables)).toEqual(await contents(from, tables));
    await strange.close();
    await last.close();
  });
});

describe("an export", () => {
  test("holds one moment, whatever is written meanwhile", async () => {
    const writer = await from.sql.reserve();
    await writer`begin`;
    await writer`lock table tokens in access exclusive mode`;
    const exporting = exportFrom(from);
    const isWaiting = async () => {
      const [lock] = await from.sql`
        select count(*)::int as count from pg_locks
        where not granted and relation = 'tokens'::regclass
          and database = (select oid from pg_database where datname = current_database())`;
      return lock?.["count"] as unknown;
    };
    await expect.poll(isWaiting).toBe(1);
    await writer`insert into users (id, handle) values ('usr_late', 'late')`;
    await writer`insert into watches values ('prm_1', 'usr_late', 'all')`;
    await writer`commit`;
    writer.release();
    await exporting;
    await from.sql`delete from watches where user_id = 'usr_late'`;
    await from.sql`delete from users where id = 'usr_late'`;
    expect(unzip("users")).not.toContain("usr_late");
    expect(unzip("watches")).toBe(unzip("watches", exported));
  });

  test("leaves out what was counted for rate limits, which is worthless a moment later", async () => {
    const { tables } = await readManifest(exported, keyId);
    const names = tables.map(({ name }) => name);
    expect(names).toContain("users");
    expect(names).not.toContain("rate_counts");
  });

  test("is readable to its owner alone", async () => {
    const target = join(folder, "on/the way");
    await exportFrom(from, target);
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    const modes = readdirSync(target).map((name) => modeOf(join(target, name)));
    expect([modeOf(target), ...new Set(modes)]).toEqual(["700", "600"]);
  });

  test("mixes with nothing that is in its folder already", async () => {
    writeFileSync(join(folder, "notes.txt"), "mine");
    await expect(exportFrom(from)).rejects.toThrow(/is not empty/);
    expect(readdirSync(folder)).toEqual(["notes.txt"]);
  });

  test("says so when its folder cannot be made", async () => {
    writeFileSync(join(folder, "file"), "");
    const refusal = exportFrom(from, join(folder, "file/below"));
    await expect(refusal).rejects.toThrow(DatabaseSetupError);
    await expect(refusal).rejects.toThrow(/Cannot write the export: ENOTDIR/);
  });
});

describe("an import is refused, and leaves nothing,", () => {
  let to: Side;

  beforeAll(async () => void (to = await openSide()));
  afterAll(() => to.close());
  beforeEach(() => cpSync(exported, folder, { recursive: true }));

  async function expectRefused(message: RegExp, changes: Partial<Manifest> = {}): Promise<void> {
    const importing = importInto(to, folder, changes);
    await expect(importing).rejects.toThrow(message);
    await expect(importing).rejects.toThrow(DatabaseSetupError);
    const [left] = await to.sql`
      select (select count(*)::int from users) as users, to_regclass('events_20200229')::text as partition`;
    expect(left).toEqual({ users: 0, partition: null });
  }

  test("when the database holds accounts", async () => {
    await expect(importInto(from)).rejects.toThrow(
      "The database already has accounts. An import needs an empty database.",
    );
  });

  test.each(["users", "blobs", "audit_log"])("when the file of %s was cut off", async (table) => {
    const bytes = readFileSync(fileOf(table));
    writeFileSync(fileOf(table), bytes.subarray(0, bytes.length / 2));
    await expectRefused(new RegExp(`${table}.tsv.gz could not be imported.*unexpected end of file`));
  });

  test("when a byte of a file has changed", async () => {
    const bytes = readFileSync(fileOf("versions"));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 8) ^ 1, bytes.length - 8);
    writeFileSync(fileOf("versions"), bytes);
    await expectRefused(/versions.tsv.gz could not be imported.*incorrect data check/);
  });

  test("when a file is missing", async () => {
    rmSync(fileOf("deliveries"));
    await expectRefused(/deliveries.tsv.gz could not be imported.*ENOENT/);
  });

  test("when a row was taken out", async () => {
    const rows = unzip("label_moves").split("\n");
    writeFileSync(fileOf("label_moves"), gzipSync(rows.slice(1).join("\n")));
    await expectRefused(/label_moves.tsv.gz .* it has 2 rows instead of 3/);
  });

  test.each([
    ["is there twice", (rows: string) => rows + rows, /duplicate key/],
    ["refers to nothing", (rows: string) => rows.replaceAll("usr_1", "usr_2"), /foreign key/],
    ["has a cell too few", (rows: string) => rows.replace(/\t[^\t]*\n/, "\n"), /missing data/],
  ])("when a row %s, though that shows after the last of them", async (_, change, message) => {
    writeFileSync(fileOf("tokens"), gzipSync(change(unzip("tokens"))));
    await expectRefused(message);
  });

  test("when it was made by a release with more tables, or fewer", async () => {
    const { migrations } = await readManifest(exported, keyId);
    const advice = /release 1\.2\.3, whose tables differ .*\(0999_later\)\. Import it with release 1\.2\.3/;
    await expectRefused(advice, { migrations: [...migrations, "0999_later"] });
    await expectRefused(/differ .*\(0001_foundation\)/, { migrations: migrations.slice(1) });
  });

  test("when its webhook secrets were encrypted under another PROMPTREG_SECRET", async () => {
    await expect(readManifest(folder, "another key")).rejects.toThrow(/need another PROMPTREG_SECRET/);
  });

  test("when the export was not finished", async () => {
    rmSync(join(folder, "manifest.json"));
    await expectRefused(/holds no whole export: ENOENT/);
  });

  test.each([
    ["is cut off", (text: string) => text.slice(0, 100)],
    ["is of a later format", (text: string) => text.replace('"format": 1', '"format": 2')],
    ["names a file elsewhere", (text: string) => text.replace('"users"', '"../users"')],
    ["is no object", () => "null"],
  ])("when its manifest %s", async (_, change) => {
    const path = join(folder, "manifest.json");
    writeFileSync(path, change(readFileSync(path, "utf8")));
    await expectRefused(/damaged, or written by a newer release/);
  });
});

test("an import whose PROMPTREG_SECRET is lost says so of the webhooks that need a new secret", async () => {
  const to = await openSide();
  await importInto(to, exported, { secretKeyIds: [] });
  expect(await to.sql`select secret_key_id as id from webhooks`).toEqual([{ id: "" }]);
  await to.close();
});

test("an export without webhooks can be imported under any PROMPTREG_SECRET", async () => {
  const empty = await openSide();
  await exportFrom(empty);
  await empty.close();
  expect(await readManifest(folder, "another key")).toMatchObject({ secretKeyIds: [] });
});
