import type { Sql } from "../src/database/sql.ts";
import type { Answer } from "./requests.ts";

type Row = Record<string, unknown>;

interface Written {
  table: string;
  before: Row | null;
  after: Row | null;
}

/** The rows that a server writes, as lines. */
export interface Writes {
  /** Those that are written meanwhile, sorted: statements that run at once, and the rows of one, come in any order. */
  of(work: () => PromiseLike<unknown>): Promise<string[]>;
}

/** Watches every table of the schema from now on. */
export async function watchWrites(sql: Sql): Promise<Writes> {
  await sql.unsafe(`
    create table public.written ("table" text, before jsonb, after jsonb);
    create function public.note_write() returns trigger language plpgsql security definer as $$ begin
      insert into public.written values (
        tg_table_name, case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end);
      return null;
    end $$;
    do $$ declare name text; begin
      for name in select relname from pg_class
        where relnamespace = 'promptreg'::regnamespace and relkind in ('r', 'p') and not relispartition
      loop
        execute format('create trigger note_write after insert or update or delete on promptreg.%I
          for each row execute function public.note_write()', name);
      end loop;
    end $$`);
  /** The ids in the order in which they were written first. */
  const seen = new Map<string, number>();
  const orderOf = (id: string) => String(seen.get(id)).padStart(6, "0");
  return {
    async of(work) {
      await sql`delete from public.written`;
      await work();
      const rows = await sql<Written[]>`select * from public.written`;
      const masked = (line: string) => line.replace(ids, "$1$2");
      const lines = sortBy(rows.map(lineOf), masked).filter((line) => line !== "");
      for (const [id] of lines.join("\n").matchAll(ids)) if (!seen.has(id)) seen.set(id, seen.size);
      return sortBy(lines, (line) => `${masked(line)}${line.replace(ids, orderOf)}`);
    },
  };
}

function sortBy(lines: readonly string[], keyOf: (line: string) => string): string[] {
  const keyed = lines.map((line) => ({ line, key: keyOf(line) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ line }) => line);
}

/** A row that is new, gone, or changed, without the columns that say nothing. */
function lineOf({ table, before, after }: Written): string {
  // Of a partition, the table.
  const name = table.replace(/_\d{8}$/, "");
  const shown = (row: Row) =>
    Object.entries(row).map(([column, value]) => plain(` ${column}=${JSON.stringify(value)}`));
  const pick = (row: Row, takes: (column: string, value: unknown) => boolean): Row =>
    Object.fromEntries(Object.entries(row).filter(([column, value]) => takes(column, value)));
  if (before === null || after === null) {
    const filled = pick(after ?? before ?? {}, (column, value) => value !== null && !isCount(column, value));
    return `${after ? "+" : "-"} ${name}${shown(filled).join("")}`;
  }
  // A token's last use is written when there is time for it.
  const changed = shown(pick(after, (column) => column !== "last_used_at")).filter(
    (column) => !shown(before).includes(column),
  );
  const key = shown(pick(after, (column) => /^(id|n|\w+_id)$/.test(column)))[0] ?? "";
  return changed.length === 0 ? "" : `~ ${name}${key}:${changed.join("")}`;
}

/** The next of a sequence, which says how much came before. */
const isCount = (column: string, value: unknown) => /^(id|seq)$/.test(column) && typeof value === "number";

/** Of a list so many are shown. */
const mostItems = 3;

/** The status of an answer, what it says beside its body, and its body: a line for each field, and each item of a list. */
export function linesOf({ status, headers, text, json }: Answer): string[] {
  const said = ["content-type", "location", "etag", "cache-control"].flatMap((name) => {
    const value = headers.get(name);
    return value === null || value === "application/json" ? [] : [`, ${name}: ${plain(value)}`];
  });
  const fields = Object.entries((json as object | undefined) ?? (text && { text: textOf(text, "<bytes>") }));
  return [
    `${status}${said.join("")}`,
    ...fields.flatMap(([name, value]) =>
      Array.isArray(value) && value.length > 0
        ? [
            `${name}:`,
            ...value.slice(0, mostItems).map((item) => `  ${plain(JSON.stringify(item))}`),
            ...(value.length > mostItems ? [`  and ${value.length - mostItems} more`] : []),
          ]
        : [plain(`${name}: ${JSON.stringify(value)}`)],
    ),
  ];
}

/** Without what differs from run to run, except ids. */
export const plain = (text: string): string =>
  text
    .replace(/"\\\\x([0-9a-f]*)"/g, (_, hex: string) =>
      textOf(Buffer.from(hex, "hex").toString(), `<${hex.length / 2} bytes>`),
    )
    // A cursor holds the keys of the last row.
    .replace(/"(eyJ[\w-]+)"/g, (_, cursor: string) => JSON.stringify(keysOf(cursor)))
    .replace(/\b20\d\d-\d\d-\d\d(?:T00:00:00\.000Z|(?!T| \d\d:))/g, "<day>")
    .replace(/\bmonth:\d{6}\b/g, "month:<month>")
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00(?::00)?)/g, distance)
    // What an address ends with once those with a number are taken.
    .replace(/(?<=[a-z\d])-[0-9a-f]{8}\b(?!-)/g, "-<random>")
    .replace(/"((?:\d+\.)?)[\w-]{27}"/g, '"$1<etag>"')
    .replace(/\b(prt|whsec)_[\w+/=-]+/g, "$1_<secret>")
    .replace(/(secret_?hint\W+)[\w-]{4}(?=")/gi, "$1<hint>")
    .replace(/\?expires=\d+&signature=[0-9a-f]{64}/g, "?expires=<time>&signature=<signature>")
    // Engines and machines differ beyond.
    .replace(/(\d\.\d{4})\d+/g, "$1")
    .replace(/,"requestId":"[^"]*"/, "")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "");

/** Ids by their prefix, numbers of scenes, keys of files, and what has no prefix. */
const ids =
  /\b(\w{3})_[0-9a-hjkmnp-tv-z]{26}\b|\b(n)\d+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{40}\b/g;

/** A text in which each id has become its prefix, and how many there were before it. */
export function withNames(text: string): string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return text.replace(ids, (id: string, ofId?: string, ofNumber?: string) => {
    const prefix = ofId ?? ofNumber ?? "key";
    const count = (counts.get(prefix) ?? 0) + (names.has(id) ? 0 : 1);
    counts.set(prefix, count);
    const name = names.get(id) ?? `${prefix}#${count}`;
    names.set(id, name);
    return name;
  });
}

/** Bytes that are text, as it is. */
const textOf = (text: string, otherwise: string) =>
  /^(?:[^\p{C}\uFFFD]|\s)*$/u.test(text) ? text : otherwise;

const keysOf = (cursor: string): unknown =>
  (JSON.parse(Buffer.from(cursor, "base64url").toString()) as { k: unknown }).k;

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** What is further away than a test reaches has its time from the code, and stays. */
const farMs = 8 * 86_400_000;

/** How far a time is from now, in days, hours, or steps of five minutes, so that a slow machine says the same. */
function distance(time: string): string {
  const ms = Date.parse(time) - Date.now();
  if (Math.abs(ms) > farMs) return time;
  const [unit, size] = units.find(([, size]) => Math.abs(ms) > 0.9 * size) ?? units[2];
  const step = unit === "min" ? 5 : 1;
  const count = step * Math.round(Math.abs(ms) / size / step);
  return count === 0 ? "<now>" : `<now ${ms > 0 ? "+" : "-"} ${count} ${unit}>`;
}
