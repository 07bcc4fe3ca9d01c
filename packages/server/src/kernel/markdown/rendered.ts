import { inTurn } from "@promptreg/core/content";
import { limitTo, type Piece, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { renderLong } from "./long.ts";
import { isCheap, renderer, renderMarkdown, type TextKind } from "./render.ts";

/** A text of Markdown, with what is stored beside it: its HTML, and the number of the renderer that made it. */
export interface Rendered {
  text: string | null;
  html: string | null;
  renderer: number;
}

/** Renders a text before the transaction that writes it. A long one that finds too many before it is left to the worker. */
export async function render(text: string | null, kind: TextKind = "note"): Promise<Rendered> {
  if (text === null) return { text, html: null, renderer };
  const html = isCheap(text) ? await inTurn(() => renderMarkdown(text, kind)) : await renderLong(text, kind);
  return { text, html, renderer: html === null ? 0 : renderer };
}

/** The HTML of a column of Markdown; null while it has none that is its own. */
export const htmlOf = (column: string) => piece`case when ${column}_renderer > 0 then ${column}_html end`;

/** A column of Markdown, such as `body`, with `body_html` and `body_renderer`, and an index of its table by the latter. */
export interface MarkdownColumn {
  table: string;
  /** The primary key. */
  key: readonly string[];
  column: string;
  kind?: TextKind;
}

/** Texts that are read at once. */
const batch = 20;
/** Texts that are rendered anew in a minute. Requests have the rest of it. */
const perMinute = 2_000;

/** A text, and the key of its row. */
type Row = Record<string, string | number> & { text: string };

/**
 * What the worker does every minute for a column: it renders texts that no renderer, or an older one, has rendered. Call it
 * where the module is loaded.
 */
export function renewing({ table, key, column, kind }: MarkdownColumn): (sql: Sql) => Promise<void> {
  const keys = key.join(", ");
  const isOutdated = `${column}_renderer < ${renderer}`;
  const outdated = piece`
    select ${keys}, ${column} as text from ${table} where ${column} is not null and ${isOutdated}
    order by ${column}_renderer, ${keys} ${limitTo(batch)}`;
  // Nothing is locked: a text that was changed meanwhile keeps what was written with it.
  const isSame = key.reduce<Piece<{ row: Row }>>(
    (condition, name) => piece`${condition} and ${name} = ${(_, { row }) => row[name]}`,
    piece`${column} = ${(_, { row }) => row.text}`,
  );
  const write = piece<{ row: Row; html: string | null }>`
    update ${table} set ${column}_html = ${(_, { html }) => html}, ${column}_renderer = ${String(renderer)}
    where ${isSame} and ${isOutdated}`;
  return async (sql) => {
    for (let renewed = 0, last = batch; last === batch && renewed < perMinute; renewed += last) {
      const rows = await sql<Row[]>`${outdated(sql)}`;
      for (const row of rows) {
        const { html } = await render(row.text, kind);
        if (html !== null) await write(sql, { row, html });
      }
      last = rows.length;
    }
  };
}
