import type { TestProject } from "vitest/node";
import postgres from "postgres";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { createMigrated } from "../src/testing/databases.sql.ts";
import { startOwnPostgres } from "../src/testing/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server under test, as a URL of its maintenance database, and the migrated template on it. */
    postgres: { url: string; template: string };
  }
}

/** A real PostgreSQL for the tests of all packages: the one of DATABASE_URL, else one of our own in a temporary folder. */
export default async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  const root = vitest.getRootProject();
  // Another package's tests have started it.
  if ("postgres" in root.getProvidedContext()) return async () => {};
  const given = process.env["DATABASE_URL"];
  const binariesDir = process.env["PROMPTREG_TEST_POSTGRES_BINARIES"];
  const own = given ? null : await startOwnPostgres({ binariesDir });
  const url = given ?? own?.url ?? "";
  const template = `promptreg_test_${process.pid}`;
  await createMigrated(parseDatabaseUrl(url), template);
  root.provide("postgres", { url, template });
  return async () => {
    if (own) return own.stop();
    const admin = postgres(url, { max: 1, onnotice: () => {} });
    const left = await admin<{ name: string }[]>`
      select datname as name from pg_database where datname like ${`${template}%`}`;
    for (const { name } of left) await admin.unsafe(`drop database "${name}" with (force)`);
    await admin.end();
  };
}
