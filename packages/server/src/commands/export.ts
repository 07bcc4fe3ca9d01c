import { resolve } from "node:path";
import { exportDatabase } from "../database/transfer.ts";
import { release } from "../release.ts";
import { visit } from "./visit.ts";

/** Writes an export, and says what an import needs. */
export const run = (target: string) =>
  visit(async (_, { address, place }) => {
    const folder = resolve(target);
    const onTable = (name: string, rows: number) =>
      process.stderr.write(`${`${rows}`.padStart(12)}  ${name}\n`);
    process.stderr.write(`Exporting ${place}. Rows of each table:\n`);
    const { tables, secretKeyIds } = await exportDatabase(address, folder, { release, onTable });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    process.stderr.write(
      `Exported ${rows} rows of ${tables.length} tables to ${folder}. Keep it safe: it contains e-mail addresses ` +
        "and private prompts.\n",
    );
    if (secretKeyIds.length === 0) return;
    process.stderr.write(
      "Keep PROMPTREG_SECRET too (if it is not set, the file `secret` in the data folder): an import needs it. " +
        "While both servers run, both send the pending deliveries.\n",
    );
  });
