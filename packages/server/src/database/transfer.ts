import { createReadStream, createWriteStream } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import pg from "pg";
import * as z from "zod";
import { type DatabaseAddress, DatabaseSetupError, pgOptions } from "./connection.ts";
import { copyIn, copyOut } from "./copy.ts";
import { makeFolder } from "./folder.ts";
import { exportFiles, holdSweeps, importFiles } from "../kernel/store/transfer.ts";
import type { Store } from "../kernel/store/store.ts";
import { listIdentities, listTables } from "./tables.ts";

const Manifest = z.object({
  format: z.literal(1),
  release: z.string(),
  exportedAt: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** Which PROMPTREG_SECRET the webhook secrets need; several where it was changed. */
  secretKeyIds: z.array(z.string()),
  /** Days of events and deliveries: their partitions are made before the rows come. */
  days: z.array(z.iso.date()),
  /** The bytes of media, which are in files beside the rows. */
  media: z.object({ files: z.int(), bytes: z.int() }).default({ files: 0, bytes: 0 }),
  /** Each after those it refers to. */
  tables: z.array(
    z.object({ name: z.string().regex(/^\w+$/), columns: z.array(z.string()), rows: z.int().nonnegative() }),
  ),
});

/** The content of `manifest.json` of an export. The rows are beside it, in a file for each table. */
export type Manifest = z.infer<typeof Manifest>;

/** Called after each table. */
export type OnTable = (name: string, rows: number) => void;

const manifestPath = (folder: string) => join(folder, "manifest.json");
const rowsPath = (folder: string, table: string) => join(folder, `${table}.tsv.gz`);
const quote = pg.escapeIdentifier;

/**
 * Writes what the database holds at one moment into a new folder, readable to its owner alone. Jobs stay
 * behind: what waits for one stands in our own rows, where the sweep of every minute finds it.
 * @throws {DatabaseSetupError} when the folder is not empty or cannot be written.
 */
export async function exportDatabase(
  address: DatabaseAddress,
  folder: string,
  { release, onTable, store }: { release: string; onTable: OnTable; store: Store },
): Promise<Manifest> {
  await openFolder(folder);
  const mode = "isolation level repeatable read read only";
  return await transact(address, { mode, prepare: holdSweeps }, async (client) => {
    const listed = await listTables(client);
    // No snapshot holds on to a partition that somebody drops.
    await client.query(`lock table ${listed.map(({ name }) => quote(name)).join()} in access share mode`);
    const about = await describe(client);
    const tables: Manifest["tables"] = [];
    for (const { name, columns } of listed) {
      const path = rowsPath(folder, name);
      const statement = `copy (select ${columns.map(quote).join()} from ${quote(name)}) to stdout (encoding 'UTF8')`;
      const zip = createGzip();
      const file = createWriteStream(path, { mode: 0o600, flags: "wx", flush: true });
      const [rows] = await attempt(`${path} could not be written`, () =>
        Promise.all([copyOut(client, statement, zip), pipeline(zip, file)]),
      );
      tables.push({ name, columns, rows });
      onTable(name, rows);
    }
    const media = await attempt("A file of media could not be exported", () =>
      exportFiles(client, store, folder),
    );
    // Written last: only a complete export has it.
    const manifest: Manifest = { format: 1, release, ...about, media, tables };
    const json = `${JSON.stringify(manifest, null, 2)}\n`;
    await attempt("Cannot finish the export", () =>
      writeFile(manifestPath(folder), json, { mode: 0o600, flag: "wx", flush: true }),
    );
    return manifest;
  });
}

/**
 * Reads the manifest of an export, to see whether it can be imported under the secret that has this key id.
 * @throws {DatabaseSetupError} when it cannot, saying why.
 */
export async function readManifest(folder: string, secretKeyId: string): Promise<Manifest> {
  const path = manifestPath(folder);
  const json = await attempt(`${folder} holds no whole export`, () => readFile(path, "utf8"));
  let manifest: Manifest;
  try {
    manifest = Manifest.parse(JSON.parse(json));
  } catch {
    throw new DatabaseSetupError(
      `${path} is damaged, or written by a newer release: this one cannot read it.`,
    );
  }
  if (manifest.secretKeyIds.some((id) => id !== secretKeyId)) {
    throw new DatabaseSetupError(
      "The webhook secrets of this export need another PROMPTREG_SECRET than this server has. Set it to that of " +
        "the old server, which, if it was not set there, is in the file `secret` of its data folder. If it is " +
        `lost, empty secretKeyIds in ${path}: everything then comes, and each webhook needs a new secret.`,
    );
  }
  return manifest;
}

/**
 * Fills an empty, migrated database with an export, in one transaction.
 * @throws {DatabaseSetupError} when it holds accounts, is of another release, or the export is damaged.
 */
export async function importDatabase(
  address: DatabaseAddress,
  folder: string,
  { manifest, onTable, store }: { manifest: Manifest; onTable: OnTable; store: Store },
): Promise<void> {
  await transact(address, { mode: "" }, async (client) => {
    await requireReady(client, manifest);
    await client.query(
      "select make_partitions(parent, day, 1) from unnest($1::date[]) day, unnest('{events,deliveries}'::text[]) parent",
      [manifest.days],
    );
    for (const { name, columns, rows } of manifest.tables) {
      const path = rowsPath(folder, name);
      const failure = `${path} could not be imported, and the database is as it was`;
      const statement = `copy ${quote(name)} (${columns.map(quote).join()}) from stdin (encoding 'UTF8')`;
      // What triggers would write comes with the other tables.
      await client.query(`alter table ${quote(name)} disable trigger user`);
      const imported = await attempt(failure, () =>
        pipeline(createReadStream(path), createGunzip(), (chunks) => copyIn(client, statement, chunks)),
      );
      await client.query(`alter table ${quote(name)} enable trigger user`);
      if (imported !== rows) {
        throw new DatabaseSetupError(`${failure}: it has ${imported} rows instead of ${rows}.`);
      }
      onTable(name, rows);
    }
    await attempt("A file of media could not be imported, and the database is as it was", () =>
      importFiles(client, store, folder),
    );
    // Whose secret nobody named a key for needs a new one, and is not to stop a start for ever.
    await client.query("update webhooks set secret_key_id = '' where secret_key_id <> all ($1)", [
      manifest.secretKeyIds,
    ]);
    for (const { table, column } of await listIdentities(client)) {
      const sequence = `pg_get_serial_sequence(${pg.escapeLiteral(quote(table))}, ${pg.escapeLiteral(column)})`;
      await client.query(`select setval(${sequence}, max(${quote(column)})) from ${quote(table)}`);
    }
  });
}

async function openFolder(folder: string): Promise<void> {
  const names = await attempt("Cannot write the export", async () => {
    makeFolder(folder);
    return await readdir(folder);
  });
  if (names.length === 0) return;
  throw new DatabaseSetupError(`${folder} is not empty. Name an empty or a new folder.`);
}

async function describe(client: pg.Client) {
  const { rows } = await client.query<Pick<Manifest, "exportedAt" | "migrations" | "secretKeyIds" | "days">>(`
    select iso(clock()) as "exportedAt",
      array(select name::text from migrations order by id) as migrations,
      array(select distinct secret_key_id from webhooks where deleted_at is null order by 1) as "secretKeyIds",
      array(select day::text from events union select day::text from deliveries order by 1) as days`);
  return rows[0]!;
}

async function requireReady(client: pg.Client, { release, migrations }: Manifest): Promise<void> {
  // A request that creates an account waits for this transaction.
  await client.query("lock table users in share row exclusive mode");
  const { rows } = await client.query<{ isUsed: boolean; migrations: string[] }>(`
    select exists (select from users) as "isUsed", array(select name::text from migrations) as migrations`);
  const own = rows[0]!;
  if (own.isUsed)
    throw new DatabaseSetupError("The database already has accounts. An import needs an empty database.");
  const lacking = migrations.filter((name) => !own.migrations.includes(name));
  const extra = own.migrations.filter((name) => !migrations.includes(name));
  if (lacking.length + extra.length === 0) return;
  throw new DatabaseSetupError(
    `The export was made by release ${release}, whose tables differ from those of this database ` +
      `(${[...lacking, ...extra].join(", ")}). Import it with release ${release}, and upgrade then.`,
  );
}

/** One transaction, as long as it takes, in which values have the same text on every server. */
async function transact<T>(
  address: DatabaseAddress,
  { mode, prepare }: { mode: string; prepare?: (client: pg.Client) => Promise<unknown> },
  act: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(pgOptions(address));
  // A connection that breaks fails the statement under way; without a listener it would end the process too.
  client.on("error", () => {});
  await client.connect();
  try {
    await prepare?.(client);
    await client.query(`
      begin ${mode};
      set local statement_timeout = 0;
      set local idle_in_transaction_session_timeout = 0;
      set local datestyle = 'ISO';
      set local extra_float_digits = 1`);
    const result = await act(client);
    await client.query("commit");
    return result;
  } finally {
    // PostgreSQL rolls back what was not committed.
    await client.end();
  }
}

/** Does what disks, damaged files and the rules of tables may refuse, which is for the operator to read. */
async function attempt<T>(failure: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new DatabaseSetupError(`${failure}: ${message}.`, { cause: error });
  }
}
