import picocolors from "picocolors";
import { isColored } from "./colored.ts";
import type { Io, Stream } from "./io.ts";
import { controls, escaped, plain } from "./text.ts";

const colorNames = ["bold", "dim", "red", "green", "yellow", "cyan", "inverse"] as const;

/** What a text is drawn with, for the stream that it goes to. */
export interface Style {
  /** Paint on terminals only. */
  colors: Record<(typeof colorNames)[number], (text: string) => string>;
  /** Prints the text of others, exactly, or on a terminal without what could command it. */
  foreign: (text: string) => string;
}

/** What our own colours carry until they are sent, and nobody else can know: theirs have no say. */
const mark = Array.from({ length: 3 }, () => `;${1_000 + Math.floor(Math.random() * 9_000)}`).join("");

/**
 * The last word on what goes to a terminal, whoever forgot `plain`: of all that commands one, our colours pass. In a pipe
 * or a file the text of others stays as it is.
 */
const ours = new RegExp(`\\u001b\\[(\\d+)${mark}m|${controls.source}`, "gu");
export const send = (stream: Stream, text: string): void => {
  stream.write(
    text.replace(ours, (found, color?: string) => {
      if (color !== undefined) return `\u001b[${color}m`;
      return stream.isTTY ? escaped(found) : found;
    }),
  );
};

/** The brush for what goes to a stream. */
export const styleFor = (stream: Stream, env: Io["env"]): Style => ({
  colors: markedColors(isColored(stream, env)),
  foreign: (text) => (stream.isTTY ? plain(text) : text),
});

function markedColors(isColored: boolean): Style["colors"] {
  const colors = picocolors.createColors(isColored);
  const paint = (name: (typeof colorNames)[number]) => {
    const [open = "", close = ""] = colors[name]("|").replaceAll("m", `${mark}m`).split("|");
    return (text: string) => open + (close ? text.replaceAll(close, close + open) : text) + close;
  };
  return Object.fromEntries(colorNames.map((name) => [name, paint(name)])) as Style["colors"];
}
