import { readFileSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { createMigrated } from "../src/testing/databases.sql.ts";

/** A primary with a standby, which streams its log. */
export interface Pair {
  /** The migrated database, and the same on the standby. */
  primaryUrl: string;
  standbyUrl: string;
  /** As its administrator. */
  standby: postgres.Sql;
  /** Their first processes. */
  pids: { primary: number; standby: number };
  stop(): Promise<void>;
}

const database = "replicated";

/**
 * Starts two real PostgreSQL: those of other tests keep no log that a standby could read.
 * @param prepare fills the primary before it is copied.
 */
export async function startPair(prepare: (url: string) => Promise<void> = async () => {}): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-pair-"));
  const [own, copy] = [join(folder, "primary"), join(folder, "standby")];
  const primary = await startEmbedded(own);
  const urlOf = (url: string) => new URL(`/${database}`, url).href;
  await createMigrated(parseDatabaseUrl(primary.url), database);
  await prepare(urlOf(primary.url));
  await copyWhileRunning(primary.url, own, copy);
  const second = await startEmbedded(copy);
  const standby = postgres(second.url, { max: 2, onnotice: () => {} });
  return {
    primaryUrl: urlOf(primary.url),
    standbyUrl: urlOf(second.url),
    standby,
    pids: { primary: pidIn(own), standby: pidIn(copy) },
    async stop() {
      await standby.end();
      await second.stop();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const pidIn = (folder: string) =>
  Number.parseInt(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8"), 10);

/** As the manual's "Making a Base Backup Using the Low Level API" has it. */
async function copyWhileRunning(url: string, from: string, to: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin`select pg_backup_start('a standby', true)`;
  await mkdir(to, { recursive: true });
  await cp(from, to, { recursive: true, filter: (path) => !/postmaster\.(pid|opts)$/.test(path) });
  const [stopped] = await admin<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`;
  await admin.end();
  const data = join(to, "postgres");
  await writeFile(join(data, "backup_label"), stopped?.label ?? "");
  await writeFile(join(data, "standby.signal"), "");
  const { hostname, port, username, password } = new URL(url);
  const login = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${login}'\n`);
}
