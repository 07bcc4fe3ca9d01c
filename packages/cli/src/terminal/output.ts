import picocolors from "picocolors";
import { isColored } from "./colored.ts";
import { type Explanation, explain } from "../errors.ts";
import { ago } from "./moments.ts";
import { type Progress, startProgress } from "./progress.ts";
import { printTable } from "./table.ts";

/** A stream that the command writes to; a terminal when `isTTY`. */
export interface Stream {
  write(chunk: string | Uint8Array): unknown;
  isTTY?: boolean | undefined;
  /** How wide a terminal is. */
  columns?: number | undefined;
}

/** Asks whoever sits at the terminal; both reject with `Interrupted` when that is ended. */
export interface Ask {
  confirm: (question: string) => Promise<boolean>;
  /** Reads a line without showing it. */
  secret: (question: string) => Promise<string>;
}

/** What surrounds a command: the process, or a test. */
export interface Io {
  stdout: Stream;
  stderr: Stream;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean };
  env: Readonly<Record<string, string | undefined>>;
  /** Sends the requests; the runtime's own when absent. */
  fetch?: typeof fetch | undefined;
  /** Absent where nobody can be asked. */
  ask?: Ask | undefined;
  /** From then on Ctrl-C does no more than to abort the signal; a second one ends the process. */
  holdInterrupts?: (() => AbortSignal) | undefined;
}

const colorNames = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

/** What a text is drawn with, for the stream that it goes to. */
export interface Brush {
  /** Paint on terminals only. */
  colors: Record<(typeof colorNames)[number], (text: string) => string>;
  /** Prints the text of others, exactly, or on a terminal without what could command it. */
  foreign: (text: string) => string;
}

/** Results go to standard output and nothing else does, so that a pipe gets what it expects. */
export interface Output extends Brush {
  isJson: boolean;
  /** Prints the result: the text, or the data where there is none and with `--json`. */
  result: (data: unknown, text?: () => string) => void;
  /** Prints one of the results that come one after the other: with `--json` each is an object on its own line. */
  line: (data: unknown, text: () => string) => void;
  /** Rows with their headings, for people: fitted to a terminal, else with tabs and without headings. */
  table: (headings: readonly string[], rows: readonly (readonly string[])[]) => string;
  /** Names with their values, one a line. */
  fields: (rows: readonly (readonly [name: string, value: string])[]) => string;
  /** A time of the registry: how long ago for people, else as it came. */
  moment: (iso: string) => string;
  /** Says something beside the result. */
  note: (text: string) => void;
  /** Shows something beside the result that takes more than a sentence. */
  draw: (text: (brush: Brush) => string) => void;
  /** Shows a line on a terminal while something takes longer than a second. */
  progress: (text: () => string) => { end: () => void };
  /** Says what went wrong, in one sentence and a line for each detail. */
  error: (error: unknown) => void;
  /** Says the same of one of several things that were worked on, for people: with `--json` the result tells. */
  refusal: (what: string, explained: Explanation) => void;
}

const commanding = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
const codeOf = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, "0");
const written = (char: string) => (char > "\u00ff" ? `\\u${codeOf(char, 4)}` : `\\x${codeOf(char, 2)}`);

/** Shows what commands a terminal, or turns the text around it, instead of sending it: a stranger may have written it. */
export const plain = (text: string): string => text.replace(commanding, written);

/** A number of things: `1 event`, `2 events`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** Brings text into one line: what others wrote must not pass for a line of ours. */
const oneLine = (text: string): string => text.replace(/[\t\r\n]+/g, " ");

/** Text of others in one line. */
export const cell = (text: string): string => oneLine(plain(text));

/** What our own colours carry until they are sent, and nobody else can know: theirs have no say. */
const mark = Array.from({ length: 3 }, () => `;${1_000 + Math.floor(Math.random() * 9_000)}`).join("");

/**
 * The last word on what goes to a terminal, whoever forgot `plain`: of all that commands one, our colours pass. In a pipe
 * or a file the text of others stays as it is.
 */
const ours = new RegExp(`\\u001b\\[(\\d+)${mark}m|${commanding.source}`, "gu");
const send = (stream: Stream, text: string): void => {
  stream.write(
    text.replace(ours, (found, color?: string) => {
      if (color !== undefined) return `\u001b[${color}m`;
      return stream.isTTY ? written(found) : found;
    }),
  );
};

/** Prints data as JSON; with an indent of 0, on one line. JSON leaves some control characters as they are. */
export const printJson = (data: unknown, indent = 2): string =>
  JSON.stringify(data, null, indent).replace(
    /[\u007f-\u009f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${codeOf(char, 4)}`,
  );

export function createOutput({ stdout, stderr, env }: Io, { json = false, debug = false } = {}): Output {
  const { colors, foreign } = brushFor(stdout, env);
  const aside = brushFor(stderr, env);
  const { red, dim } = aside.colors;
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
    moment: (iso) => (stdout.isTTY ? ago(iso) : iso),
    table: (headings, rows) => {
      const width = stdout.isTTY ? (stdout.columns ?? 80) : undefined;
      const heads = headings.map((heading) => colors.dim(heading));
      const lines = rows.map((row) => row.map(oneLine));
      return printTable(width === undefined || rows.length === 0 ? lines : [heads, ...lines], width);
    },
    fields: (rows) => {
      const lines = rows.map(([name, value]) => [oneLine(name), oneLine(value)] as const);
      if (!stdout.isTTY) return printTable(lines, undefined);
      const width = Math.max(...lines.map(([name]) => name.length));
      return lines.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`).join("\n");
    },
    note: (text) => say(`${cell(text)}\n`),
    draw: (text) => say(`${text(aside)}\n`),
    progress: (text) => {
      const progress = startProgress(stderr, () => cell(text()));
      shown = progress;
      return progress;
    },
    error: (error) => {
      const explained = explain(error);
      shown?.end();
      send(stderr, json ? `${printJson({ error: explained })}\n` : asText(explained));
      if (debug && error instanceof Error)
        send(stderr, `${dim(plain(error.stack ?? "").replace(/^/gm, "  "))}\n`);
    },
    refusal: (what, explained) => {
      const isNamed = explained.message.includes(what);
      if (!json) say(asText(explained, isNamed ? "" : `${what}: `));
    },
  };

  function asText({ code, message, details, requestId }: Explanation, what = ""): string {
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
}

const brushFor = (stream: Stream, env: Io["env"]): Brush => ({
  colors: markedColors(isColored(stream, env)),
  foreign: (text) => (stream.isTTY ? plain(text) : text),
});

function markedColors(isColored: boolean): Brush["colors"] {
  const colors = picocolors.createColors(isColored);
  const paint = (name: (typeof colorNames)[number]) => {
    const [open = "", close = ""] = colors[name]("|").replaceAll("m", `${mark}m`).split("|");
    return (text: string) => open + (close ? text.replaceAll(close, close + open) : text) + close;
  };
  return Object.fromEntries(colorNames.map((name) => [name, paint(name)])) as Brush["colors"];
}
