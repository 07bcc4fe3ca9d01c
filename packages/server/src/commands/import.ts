import { resolve } from "node:path";
import { readConfig, readSecret } from "../config.ts";
import { importDatabase, readManifest } from "../database/transfer.ts";
import { openSecretBox } from "../kernel/secrets/secret-box.ts";
import { visit } from "./visit.ts";

/** Fills an empty database with an export. */
export async function run(source: string): Promise<void> {
  const folder = resolve(source);
  const { keyId } = openSecretBox(readSecret(readConfig(process.env)));
  // Before the database is opened, because that might create one.
  const manifest = await readManifest(folder, keyId);
  await visit(async (_, { address, place }) => {
    const onTable = (name: string, rows: number) =>
      process.stderr.write(`${`${rows}`.padStart(12)}  ${name}\n`);
    process.stderr.write(
      `Importing the export of ${manifest.exportedAt} into ${place}. Rows of each table:\n`,
    );
    await importDatabase(address, folder, { manifest, onTable });
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    process.stderr.write(`Imported ${rows} rows of ${manifest.tables.length} tables.\n`);
  });
}
