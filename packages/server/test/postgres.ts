import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import postgres from "postgres";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server under test, as a URL of its maintenance database, and the migrated template on it. */
    postgres: { url: string; template: string };
  }
}

/** The URL of another database on the same server. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** A real PostgreSQL for all tests: the one of DATABASE_URL, else one of our own in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["DATABASE_URL"];
  const folder = await mkdtemp(join(tmpdir(), "promptreg-test-"));
  const binariesDir = process.env["PROMPTREG_TEST_POSTGRES_BINARIES"];
  const embedded = given ? null : await startEmbedded(folder, { binariesDir });
  const url = given ?? embedded?.url ?? "";
  const template = `promptreg_test_${process.pid}`;
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  if (embedded) {
    await admin`alter system set fsync = off`;
    // It comes when it will, and plans differ after it.
    await admin`alter system set autovacuum = off`;
    await admin`select pg_reload_conf()`;
  }
  await admin.unsafe(`create database ${template}`);
  await migrate(parseDatabaseUrl(withDatabase(url, template)));
  project.provide("postgres", { url, template });
  return async () => {
    const left = await admin<{ name: string }[]>`
      select datname as name from pg_database where datname like ${`${template}%`}`;
    for (const { name } of left) await admin.unsafe(`drop database "${name}" with (force)`);
    await admin.end();
    await embedded?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
