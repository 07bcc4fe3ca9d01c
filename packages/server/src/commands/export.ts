import { resolve } from "node:path";
import { readConfig } from "../config.ts";
import { openStore } from "../kernel/store/open-store.ts";
import { exportDatabase } from "../database/transfer.ts";
import { release } from "../release.ts";
import { carried } from "./carried.ts";
import { visit } from "./visit.ts";

/** Writes an export, and says what an import needs. */
export const run = (target: string) =>
  visit(async (_, { address, place }) => {
    const folder = resolve(target);
    const onTable = (name: string, rows: number) =>
      process.stderr.write(`${`${rows}`.padStart(12)}  ${name}\n`);
    process.stderr.write(`Exporting ${place}. Rows of each table:\n`);
    const store = openStore(readConfig(process.env));
    const { tables, secretKeyIds, media } = await exportDatabase(address, folder, {
      release,
      onTable,
      store,
    });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    process.stderr.write(
      `Exported ${rows} rows of ${tables.length} tables to ${folder}. Keep it safe: it contains e-mail addresses ` +
        "and private prompts.\n",
    );
    if (media.files > 0) process.stderr.write(`${carried(media)} from ${store.place}.\n`);
    if (secretKeyIds.length === 0) return;
    process.stderr.write(
      "Keep PROMPTREG_SECRET too (if it is not set, the file `secret` in the data folder): an import needs it. " +
        "What is written from now on is not in it. While both servers run, both send the pending deliveries.\n",
    );
  });
