import { resolve } from "node:path";
import { readConfig, readSecret } from "../config.ts";
import { importDatabase, readManifest } from "../database/transfer.ts";
import { openStore } from "../kernel/store/open-store.ts";
import { openSecretBox } from "../kernel/secrets/secret-box.ts";
import { carried } from "./carried.ts";
import { visit } from "./visit.ts";

/** Fills an empty database with an export. */
export async function run(source: string): Promise<void> {
  const folder = resolve(source);
  const config = readConfig(process.env);
  const { keyId } = openSecretBox(readSecret(config));
  // Before the database is opened, because that might create one.
  const manifest = await readManifest(folder, keyId);
  const store = openStore(config);
  await visit(
    async (_, { address, place }) => {
      const onTable = (name: string, rows: number) =>
        process.stderr.write(`${`${rows}`.padStart(12)}  ${name}\n`);
      process.stderr.write(
        `Importing the export of ${manifest.exportedAt} into ${place}${manifest.media.files > 0 ? `, and its media into ${store.place}` : ""}. Rows of each table:\n`,
      );
      await importDatabase(address, folder, { manifest, onTable, store });
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
      process.stderr.write(`Imported ${rows} rows of ${manifest.tables.length} tables.\n`);
      if (manifest.media.files > 0) process.stderr.write(`${carried(manifest.media)} into ${store.place}.\n`);
      if (config.cdn !== null)
        process.stderr.write(
          "Have the CDN of CDN_PURGE_URL forget everything now: it may keep versions that are gone.\n",
        );
    },
    { creates: true },
  );
}
