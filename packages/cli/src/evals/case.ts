import type { CaseComparison, ComparedAttempts } from "@promptreg/core";
import { beside, type Part } from "../terminal/beside.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { reasonOf } from "./documents/document.ts";
import { decimal } from "./documents/figures.ts";
import { markChanges } from "./documents/html/marks.ts";
import { changeWords } from "./documents/words.ts";
import { percent } from "./words.ts";

/** From this width on two outputs can be read beside each other. */
const wide = 100;

/** Draws one case with its outputs: beside each other where the terminal is wide enough. */
export function drawCase({ caseKey, change, a, b }: CaseComparison, width: number, output: Output): string {
  const { bold, dim } = output.colors;
  const parts = partsOf(a, b, output);
  const head = `${bold(cell(caseKey))}  ${changeWords[change].toLowerCase()}`;
  const before = [...headOf("before", a, output), ...parts.before];
  const now = [...headOf("now", b, output), ...parts.now];
  if (width >= wide) return `${head}\n\n${beside(before, now, width)}`;
  const textOf = (all: readonly Part[]) => all.map(({ text, paint }) => paint(text)).join("");
  return [head, textOf(before), dim("─".repeat(Math.min(width, 20))), textOf(now)].join("\n\n");
}

const asIs = (text: string) => text;

/** How a side ended, and why, above its output. */
function headOf(name: string, side: ComparedAttempts | null, { colors: { bold, dim } }: Output): Part[] {
  if (side === null) return [{ text: `${name}: not in this run\n`, paint: bold }];
  const reason = reasonOf(side.result);
  return [
    { text: `${name}: ${sideText(side)}\n`, paint: bold },
    ...(reason === undefined ? [] : [{ text: `${cell(reason)}\n`, paint: dim }]),
    ...(side.attempts > 1 ? [{ text: `the worst of ${side.attempts} attempts\n`, paint: dim }] : []),
    { text: "\n", paint: asIs },
  ];
}

/** How a case ended in a run: of several attempts, how many passed. */
export function sideText(side: ComparedAttempts | null): string {
  if (side === null) return "";
  const { attempts, passRate, score, result } = side;
  const ending = attempts > 1 ? percent(passRate) : result.status;
  return score === null ? ending : `${ending}, ${decimal(score)}`;
}

/** The outputs with what differs marked: by colours, and where there are none by brackets. */
function partsOf(
  a: ComparedAttempts | null,
  b: ComparedAttempts | null,
  { colors: { red, green, dim }, foreign }: Output,
): { before: Part[]; now: Part[] } {
  const [before, now] = [a, b].map((side) => outputOf(side, foreign)) as [string | null, string | null];
  const isColored = red("|") !== "|";
  const mark = (paint: (text: string) => string, open: string, close: string) =>
    isColored ? { paint, open: "", close: "" } : { paint: asIs, open, close };
  const none: Part[] = [{ text: "no output", paint: dim }];
  const whole = (text: string | null): Part[] => (text === null ? none : [{ text, paint: asIs }]);
  const pieces = before === null || now === null ? null : markChanges(before, now);
  if (pieces === null) return { before: whole(before), now: whole(now) };
  const painted = (all: typeof pieces.before, { paint, open, close }: ReturnType<typeof mark>): Part[] =>
    all.map(({ text, isChanged }) =>
      isChanged ? { text: `${open}${text}${close}`, paint } : { text, paint: asIs },
    );
  return {
    before: painted(pieces.before, mark(red, "[-", "-]")),
    now: painted(pieces.now, mark(green, "{+", "+}")),
  };
}

function outputOf(side: ComparedAttempts | null, foreign: (text: string) => string): string | null {
  if (side === null || side.result.output === null) return null;
  const { output, outputTruncated } = side.result;
  return `${foreign(output)}${outputTruncated ? "\n… cut by the registry" : ""}`;
}
