import { type Explanation, explain } from "../errors.ts";
import { type Style, styleFor, send } from "./style.ts";
import type { Io } from "./io.ts";
import { fromNow } from "./moments.ts";
import { drawProgress, logProgress, type Progress } from "./progress.ts";
import { printTable } from "./table.ts";
import { cell, oneLine, plain, printJson } from "./text.ts";

/** Results go to standard output and nothing else does, so that a pipe gets what it expects. */
export interface Output extends Style {
  isJson: boolean;
  /** Prints the result: the text, or the data where there is none and with `--json`. */
  result: (data: unknown, text?: () => string) => void;
  /** Prints one of the results that come one after the other: with `--json` each is an object on its own line. */
  line: (data: unknown, text: () => string) => void;
  /**
   * Rows with their headings, for people: fitted to a terminal, else with tabs and without headings.
   * @param whole the headings of columns that are not to be cut, such as what one has to type; ids never are.
   */
  table: (
    headings: readonly string[],
    rows: readonly (readonly string[])[],
    whole?: readonly string[],
  ) => string;
  /** Names with their values, one a line. */
  fields: (rows: readonly (readonly [name: string, value: string])[]) => string;
  /** A time of the registry: how far away for people, else as it came. */
  moment: (iso: string) => string;
  /** Says something beside the result. */
  note: (text: string) => void;
  /** Says that a list goes on, and with what. */
  more: (hasMore: boolean, things?: string) => void;
  /** Shows something beside the result that takes more than a sentence. */
  draw: (text: (brush: Style) => string) => void;
  /**
   * Tells how far it is while something takes long: in a line of a terminal, or every ten seconds in a log. With `--json` a
   * log gets none, since other programs read it.
   */
  progress: (text: () => string) => { end: () => void };
  /** Says what went wrong, in one sentence and a line for each detail. */
  error: (error: unknown) => void;
  /** Says the same of one of several things that were worked on, for people: with `--json` the result tells. */
  refusal: (what: string, explained: Explanation) => void;
}

export function createOutput({ stdout, stderr, env }: Io, { json = false, debug = false } = {}): Output {
  const { colors, foreign } = styleFor(stdout, env);
  const errorStyle = styleFor(stderr, env);
  const { dim } = errorStyle.colors;
  let shown: Progress | undefined;
  const say = (text: string) => {
    shown?.clear();
    send(stderr, text);
  };
  return {
    colors,
    isJson: json,
    result: (data, text) => {
      shown?.clear();
      if (text !== undefined && !json) {
        const shownText = text();
        // Of an empty list a pipe gets nothing.
        if (shownText !== "") send(stdout, `${shownText}\n`);
      } else if (data !== undefined) stdout.write(`${printJson(data)}\n`);
    },
    line: (data, text) => {
      shown?.clear();
      send(stdout, `${json ? printJson(data, 0) : text()}\n`);
    },
    foreign,
    moment: (iso) => (stdout.isTTY ? fromNow(iso) : iso),
    table: (headings, rows, whole = []) => {
      const width = stdout.isTTY ? (stdout.columns ?? 80) : undefined;
      const heads = headings.map((heading) => colors.dim(heading));
      const lines = rows.map((row) => row.map(oneLine));
      return printTable(
        width === undefined || rows.length === 0 ? lines : [heads, ...lines],
        width,
        headings.map((heading) => whole.includes(heading)),
      );
    },
    fields: (rows) => {
      const lines = rows.map(([name, value]) => [oneLine(name), oneLine(value)] as const);
      if (!stdout.isTTY) return printTable(lines, undefined);
      const width = Math.max(...lines.map(([name]) => name.length));
      return lines.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`).join("\n");
    },
    note: (text) => say(`${cell(text)}\n`),
    more: (hasMore, things = "more") => {
      if (hasMore && !json) say(`There are ${things}. --limit shows more of them.\n`);
    },
    draw: (text) => say(`${text(errorStyle)}\n`),
    progress: (text) => {
      // What CI shows as a terminal is a log: it would keep each line that is drawn.
      const isLog = !stderr.isTTY || Boolean(env.CI);
      if (isLog && json) return { end: () => {} };
      const progress = (isLog ? logProgress : drawProgress)(stderr, () => cell(text()));
      shown = progress;
      return progress;
    },
    error: (error) => {
      const explained = explain(error);
      shown?.end();
      send(stderr, json ? `${printJson({ error: explained })}\n` : errorText(explained, errorStyle));
      if (debug && error instanceof Error)
        send(stderr, `${dim(plain(error.stack ?? "").replace(/^/gm, "  "))}\n`);
    },
    refusal: (what, explained) => {
      const isNamed = explained.message.includes(what);
      if (!json) say(errorText(explained, errorStyle, isNamed ? "" : `${what}: `));
    },
  };
}

/** What went wrong, in one sentence and a line for each detail. */
function errorText(
  { code, message, details, requestId }: Explanation,
  { colors: { red, dim } }: Style,
  what = "",
): string {
  // The registry points at fields as JSON does; people call them as the manifest and the options do.
  const named = (text: string) =>
    code === "validation_failed"
      ? text.replace(/^\/[^:]+(?=:)/, (path) => path.slice(1).replaceAll("/", "."))
      : text;
  const request = requestId === undefined ? "" : dim(cell(` (request ${requestId})`));
  const lines = details
    // The message often says already what is wrong first.
    .filter((detail, index) => index > 0 || !message.includes(detail.message))
    .slice(0, 20)
    .map(({ path, message }) => `  ${cell(named(path ? `${path}: ${message}` : message))}\n`);
  return `${red("error:")} ${cell(`${what}${named(message)}`)}${request}\n${lines.join("")}`;
}
