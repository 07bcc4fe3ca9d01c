import pg from "pg";
import { type DatabaseAddress, pgOptions } from "../../src/database/connection.ts";
import { copyIn } from "../../src/database/copy.ts";
import { listTables } from "../../src/database/tables.ts";
import { openRegistry, type Registry, type SeedSize } from "./registry.ts";
import type { Cell, Table } from "./table.ts";
import { tables } from "./tables.ts";

/** Hears of each table once it is filled. */
export type OnTable = (name: string, rows: number, seconds: number) => void;

/**
 * Fills an empty, migrated database with a plausible registry of that size: the same one on any day
 * that the database's clock shows. Memory stays flat, since rows are drawn as they are sent. A superuser who has filled
 * a smaller one may leave out that PostgreSQL checks each reference, which takes a third of the time.
 */
export async function seed(
  address: DatabaseAddress,
  size: SeedSize,
  {
    onTable = () => {},
    analyzes = true,
    checks = true,
  }: { onTable?: OnTable; analyzes?: boolean; checks?: boolean } = {},
): Promise<Registry> {
  const client = new pg.Client(pgOptions(address));
  await client.connect();
  try {
    await client.query("set statement_timeout = 0");
    if (!checks) await client.query("set session_replication_role = replica");
    const {
      rows: [now],
    } = await client.query<{ untilMs: number }>(
      `select extract(epoch from clock()::date)::float8 * 1000 as "untilMs"`,
    );
    const registry = openRegistry(size, { untilMs: now!.untilMs });
    for (const parent of ["events", "deliveries"]) {
      await client.query("select make_partitions($1, clock()::date - $2::int, $2::int + 8)", [
        parent,
        size.days,
      ]);
    }
    // Each comes after those it refers to.
    const names = (await listTables(client)).map(({ name }) => name);
    for (const table of tables.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))) {
      const startedAt = performance.now();
      // Its triggers would count what the seeds of other tables count already.
      await client.query(`alter table ${table.name} disable trigger user`);
      const statement = `copy ${table.name} (${table.columns.join()}) from stdin`;
      const rows = await copyIn(client, statement, chunks(table, registry));
      await client.query(`alter table ${table.name} enable trigger user`);
      onTable(table.name, rows, (performance.now() - startedAt) / 1000);
    }
    if (analyzes) await client.query("analyze");
    return registry;
  } finally {
    await client.end();
  }
}

const chunkLength = 65_536;

/** The rows as COPY reads them, many at a time. */
async function* chunks(table: Table, registry: Registry): AsyncGenerator<Uint8Array> {
  let text = "";
  for (const row of table.rows(registry)) {
    text += `${row.map(cellText).join("\t")}\n`;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const cellText = (cell: Cell): string =>
  cell === null
    ? "\\N"
    : typeof cell === "string"
      ? cell.replace(/[\\\t\n\r]/g, (sign) => escapes[sign]!)
      : String(cell);
