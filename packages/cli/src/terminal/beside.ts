import { widthOf } from "./table.ts";

/** A part of a text with the way it is painted. */
export interface Part {
  text: string;
  paint: (text: string) => string;
}

const gap = " │ ";

/** Puts two texts beside each other, each folded into half of the width. */
export function beside(left: readonly Part[], right: readonly Part[], width: number): string {
  const half = Math.floor((width - gap.length) / 2);
  const [first, second] = [fold(left, half), fold(right, half)];
  return Array.from({ length: Math.max(first.length, second.length) }, (_, index) => {
    const { text, width: taken } = first[index] ?? { text: "", width: 0 };
    return `${text}${" ".repeat(half - taken)}${gap}${second[index]?.text ?? ""}`.trimEnd();
  }).join("\n");
}

interface Line {
  text: string;
  width: number;
}

const segmenter = new Intl.Segmenter();

/** Folds a text between the characters that people see; wide ones count as two. */
function fold(parts: readonly Part[], width: number): Line[] {
  const lines: Line[] = [];
  let line: Line = { text: "", width: 0 };
  const next = () => {
    lines.push(line);
    line = { text: "", width: 0 };
  };
  for (const { text, paint } of parts) {
    let run = "";
    // A colour ends with its line: the other text goes on there.
    const flush = () => {
      if (run !== "") line.text += paint(run);
      run = "";
    };
    for (const { segment } of segmenter.segment(text.replaceAll("\t", "  "))) {
      const taken = segment === "\n" ? 0 : widthOf(segment);
      if (segment === "\n" || line.width + taken > width) {
        flush();
        next();
      }
      if (segment === "\n") continue;
      run += segment;
      line.width += taken;
    }
    flush();
  }
  next();
  return lines;
}
