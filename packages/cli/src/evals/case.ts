import type { CaseComparison, ComparedAttempts } from "@promptreg/core";
import { beside, type Part } from "../terminal/beside.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { reasonOf } from "./documents/document.ts";
import { decimal } from "./documents/figures.ts";
import { markChanges, type Piece } from "../terminal/marks.ts";
import { changeWords } from "./documents/words.ts";
import { percent } from "./words.ts";

/** From this width on two outputs can be read beside each other. */
const wide = 100;

/** Draws one case with its outputs: beside each other where the terminal is wide enough. */
export function drawCase({ caseKey, change, a, b }: CaseComparison, width: number, output: Output): string {
  const { bold, dim } = output.colors;
  const [before, now] = [headOf("before", a, output), headOf("now", b, output)];
  const outputs = outputsOf(a, b, output);
  const head = `${bold(cell(caseKey))}  ${changeWords[change].toLowerCase()}\n`;
  if (width >= wide) {
    const rows = outputs.map(([left, right]) => beside(left, right, width));
    return [head, `${beside(before, now, width)}\n`, ...rows].join("\n");
  }
  const textOf = (all: readonly Part[]) => all.map(({ text, paint }) => paint(text)).join("");
  const side = (name: Part[], index: 0 | 1) =>
    [`${textOf(name)}\n`, ...outputs.map((row) => textOf(row[index]))].join("\n");
  return [head, side(before, 0), `\n${dim("─".repeat(20))}\n`, side(now, 1)].join("\n");
}

const asIs = (text: string) => text;

/** How a side ended, and why. */
function headOf(name: string, side: ComparedAttempts | null, { colors: { bold, dim } }: Output): Part[] {
  if (side === null) return [{ text: `${name}: not in this run`, paint: bold }];
  const reason = reasonOf(side.result);
  return [
    { text: `${name}: ${sideText(side)}`, paint: bold },
    ...(reason === undefined ? [] : [{ text: `\n${cell(reason)}`, paint: dim }]),
    ...(side.attempts > 1 ? [{ text: `\nthe worst of ${side.attempts} attempts`, paint: dim }] : []),
  ];
}

/** How a case ended in a run: of several attempts, how many passed. */
export function sideText(side: ComparedAttempts | null): string {
  if (side === null) return "";
  const { attempts, passRate, score, result } = side;
  const ending = attempts > 1 ? percent(passRate) : result.status;
  return score === null ? ending : `${ending}, ${decimal(score)}`;
}

type Row = [before: Part[], now: Part[]];
/** How a change is painted, or what stands around it. */
type Mark = { paint: Part["paint"]; open: string; close: string };

/** The outputs with what differs marked: by colours, and where there are none by brackets. Each row begins with a line of both. */
function outputsOf(a: ComparedAttempts | null, b: ComparedAttempts | null, output: Output): Row[] {
  const { red, green, dim } = output.colors;
  const [before, now] = [outputOf(a, output), outputOf(b, output)];
  const pieces = before === null || now === null ? null : markChanges(before, now);
  const whole = (text: string | null): Part[] => [
    text === null ? { text: "no output", paint: dim } : { text, paint: asIs },
  ];
  if (pieces === null) return [[whole(before), whole(now)]];
  const isColored = red("|") !== "|";
  const markOf = (paint: Part["paint"], open: string, close: string): Mark =>
    isColored ? { paint, open: "", close: "" } : { paint: asIs, open, close };
  const left = rowsOf(pieces.before, markOf(red, "[-", "-]"));
  const right = rowsOf(pieces.now, markOf(green, "{+", "+}"));
  return left.map((row, index) => [row, right[index] ?? []]);
}

/** Splits a text after the lines that the other one has too: of those both have the same number. */
function rowsOf(pieces: readonly Piece[], { paint, open, close }: Mark): Part[][] {
  const rows: Part[][] = [[]];
  for (const { text, isChanged } of pieces) {
    if (isChanged) {
      rows.at(-1)?.push({ text: `${open}${text}${close}`, paint });
      continue;
    }
    const [first = "", ...rest] = text.split("\n");
    rows.at(-1)?.push({ text: first, paint: asIs });
    for (const line of rest) rows.push([{ text: line, paint: asIs }]);
  }
  return rows;
}

function outputOf(side: ComparedAttempts | null, { foreign }: Output): string | null {
  if (side === null || side.result.output === null) return null;
  const { output, outputTruncated } = side.result;
  return `${foreign(output)}${outputTruncated ? "\n… cut by the registry" : ""}`;
}
