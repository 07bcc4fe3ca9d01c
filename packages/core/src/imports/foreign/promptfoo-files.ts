import { RowError, csvRows } from "../../rows/index.ts";
import { ImportError } from "../detector.ts";
import { baseName } from "./values.ts";

/** A prompt out of a text or a file. */
export interface Part {
  text: string;
  name: string;
  part: string | null;
}

/** The prompts in a file that promptfoo reads: by its ending it holds one, or several. */
export function partsOf(path: string, text: string, label: string | null): Part[] {
  const name = label ?? baseName(path, endingOf(path));
  const several = textsIn(path, text).filter((one) => one.text.trim() !== "");
  if (several.length === 0) throw new ImportError(`${path} is empty.`);
  if (several.length === 1)
    return several.map((one) => ({ text: one.text, name: one.label ?? name, part: null }));
  return several.map((one, index) => ({
    text: one.text,
    name: one.label ?? `${name} ${index + 1}`,
    part: `prompt ${index + 1}`,
  }));
}

const endingOf = (path: string): string => /\.[^./]+$/.exec(path)?.[0] ?? "";

interface Text {
  text: string;
  label?: string | undefined;
}

function textsIn(path: string, text: string): Text[] {
  const form = endingOf(path).toLowerCase();
  if (form === ".txt") return text.split(/^[ \t]*---[ \t]*\r?$/m).map((one) => ({ text: one }));
  if (form === ".jsonl") return text.split("\n").map((one) => ({ text: one }));
  return form === ".csv" ? tableOf(text) : [{ text }];
}

/** A column named prompt and perhaps one named label, or one prompt a line. */
function tableOf(text: string): Text[] {
  try {
    const [header = [], ...rows] = Array.from(csvRows().add(text, { isLast: true }), ({ cells }) => cells);
    const names = header.map((one) => one.trim().toLowerCase());
    const [prompt, label] = [names.indexOf("prompt"), names.indexOf("label")];
    if (prompt === -1) return text.split("\n").map((one) => ({ text: one }));
    return rows.map((cells) => ({ text: cells[prompt] ?? "", label: cells[label]?.trim() || undefined }));
  } catch (error) {
    if (error instanceof RowError) throw new ImportError(`Line ${error.line}: ${error.message}.`);
    throw error;
  }
}
