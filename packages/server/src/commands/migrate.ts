import { readConfig } from "../config.ts";
import { migrate } from "../database/migrate.ts";
import { openDatabase } from "../database/open.ts";

/** Migrates the database, and names the migrations that it applied. */
export async function run(): Promise<void> {
  const database = await openDatabase(readConfig(process.env));
  try {
    const names = await migrate(database.address);
    process.stdout.write(names.length === 0 ? "Up to date.\n" : `Applied ${names.join(", ")}.\n`);
  } finally {
    await database.close();
  }
}
