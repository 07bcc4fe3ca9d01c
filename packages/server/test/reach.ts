import type { Sql } from "../src/database/sql.ts";
import type { TestServer } from "./harness.ts";
import { watchStatements } from "./sent.ts";

/** Which tables statements of a server read and write, with what functions, triggers and foreign keys do for them. */
export interface Reach {
  /** The tables that the statements name which are sent meanwhile, and those that they write. */
  of(work: () => PromiseLike<unknown>): Promise<Found>;
}

interface Found {
  named: Set<string>;
  written: Set<string>;
}

/** What the schema does when something is named, or a table is written. */
interface Schema {
  tables: string[];
  /** The sources of functions, by their names. */
  functions: Map<string, string>;
  /** By the table: functions that run, and tables that change, when it is written. */
  triggers: Map<string, string[]>;
  cascades: Map<string, string[]>;
}

/** Watches the statements of a server and of its test, which must do nothing else meanwhile. */
export async function openReach({ sql, context }: Pick<TestServer, "sql" | "context">): Promise<Reach> {
  const schema = await readSchema(sql);
  const known = new Map<string, Found>();
  const foundIn = (text: string): Found => {
    const found = known.get(text) ?? { named: new Set(), written: new Set() };
    if (!known.has(text)) follow(schema, text, found);
    known.set(text, found);
    return found;
  };
  return {
    async of(work) {
      const texts = new Set<string>();
      await watchStatements([sql, context.sql, context.readSql], (text) => texts.add(text), work);
      const found = [...texts].map(foundIn);
      return {
        named: new Set(found.flatMap(({ named }) => [...named])),
        written: new Set(found.flatMap(({ written }) => [...written])),
      };
    },
  };
}

const writes =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?(?:promptreg\.)?(\w+)/gi;
const words = /\w+/g;

/** Adds what a statement, or a function's source, names and writes, and what follows from that. */
function follow(schema: Schema, text: string, found: Found): void {
  const said = new Set(text.match(words));
  for (const table of schema.tables) if (said.has(table)) found.named.add(table);
  for (const [name, source] of schema.functions)
    if (said.has(name) && !found.named.has(`${name}()`)) {
      found.named.add(`${name}()`);
      follow(schema, source, found);
    }
  for (const [, table = ""] of text.matchAll(writes)) followWrite(schema, table, found);
}

function followWrite(schema: Schema, table: string, found: Found): void {
  if (found.written.has(table)) return;
  found.written.add(table);
  for (const name of schema.triggers.get(table) ?? [])
    follow(schema, schema.functions.get(name) ?? "", found);
  for (const other of schema.cascades.get(table) ?? []) followWrite(schema, other, found);
}

async function readSchema(sql: Sql): Promise<Schema> {
  const tables = await sql<{ name: string }[]>`
    select relname::text as name from pg_class where relnamespace = 'promptreg'::regnamespace and relkind in ('r', 'p', 'v')`;
  const functions = await sql<{ name: string; source: string }[]>`
    select proname::text as name, pg_get_functiondef(oid) as source from pg_proc
    where pronamespace = 'promptreg'::regnamespace and prokind = 'f' and prolang <> (select oid from pg_language where lanname = 'c')`;
  const triggers = await sql<{ table: string; name: string }[]>`
    select tgrelid::regclass::text as table, tgfoid::regproc::text as name from pg_trigger where not tgisinternal`;
  const cascades = await sql<{ table: string; name: string }[]>`
    select confrelid::regclass::text as table, conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confdeltype in ('c', 'n')`;
  const byTable = (rows: readonly { table: string; name: string }[]) =>
    new Map(
      [...Map.groupBy(rows, ({ table }) => table)].map(([table, all]) => [
        table,
        all.map(({ name }) => name),
      ]),
    );
  return {
    tables: tables.map(({ name }) => name),
    functions: new Map(functions.map(({ name, source }) => [name, source])),
    triggers: byTable(triggers),
    cascades: byTable(cascades),
  };
}
