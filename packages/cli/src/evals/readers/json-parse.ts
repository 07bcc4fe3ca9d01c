import { InputError } from "../../errors.ts";

/** Parses one value, also as Python writes it: with NaN and Infinity, which are null here. */
export function parseJson(bytes: Uint8Array, line: number): unknown {
  const text = decode(bytes, line);
  try {
    return JSON.parse(text);
  } catch (error) {
    const plain = withoutNaN(text);
    if (plain !== text) {
      try {
        return JSON.parse(plain);
      } catch {
        // The first error is about what the file holds.
      }
    }
    throw new InputError(`line ${line}: this is not JSON: ${(error as Error).message}.`);
  }
}

function decode(bytes: Uint8Array, line: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InputError(`line ${line}: this is not UTF-8.`);
  }
}

/** Replaces NaN and Infinity outside of strings. One quoted string after the other is passed over by its ends. */
function withoutNaN(text: string): string {
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('"', at);
    const outside = text.slice(at, start === -1 ? undefined : start);
    plain += outside.replace(/-?\bInfinity\b|\bNaN\b/g, "null");
    if (start === -1) break;
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    at = end === -1 ? text.length : end + 1;
    plain += text.slice(start, at);
  }
  return plain;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}
