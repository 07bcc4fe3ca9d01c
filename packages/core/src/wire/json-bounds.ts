import { apiError } from "../catalogue/errors.ts";

/** How deep lists and objects of a body may be nested. No operation needs more than 40. */
export const maxDepth = 100;
/** How many values a body may have. A thousand results with 17 assertions each come close. */
export const maxValues = 100_000;

/** What each byte means outside strings; 0 means nothing. */
const kinds = new Uint8Array(256);
const quotes = 1;
const opens = 2;
const closes = 3;
const separates = 4;
kinds[0x22] = quotes;
kinds[0x5b] = kinds[0x7b] = opens;
kinds[0x5d] = kinds[0x7d] = closes;
kinds[0x2c] = separates;
const backslash = 0x5c;

/**
 * Refuses JSON that would block the process while it is parsed: millions of brackets cost seconds. The check costs a few
 * nanoseconds a byte, whatever the bytes are. Invalid JSON may pass, because the parser stops at the error. `most` is how many values
 * it may have.
 * @throws {ApiError} `validation_failed`
 */
export function boundJson(bytes: Uint8Array, most = maxValues): void {
  let depth = 0;
  let values = 0;
  let strings = 0;
  for (let at = 0; at < bytes.length; ) {
    const kind = kinds[bytes[at++]!];
    if (kind === 0) continue;
    if (kind === quotes) {
      // A value is at most one string, and has at most one more as its name.
      if (++strings > 2 * values + 1) return;
      at = endOfString(bytes, at);
    } else if (kind === closes) depth--;
    else {
      if (kind === opens && ++depth > maxDepth) throw unfit("too_deep", `more than ${maxDepth} levels deep`);
      // A list or object has one value more than commas.
      if (++values > most) throw unfit("too_big", `of more than ${most} values`);
    }
  }
}

/** The index after the closing quote of a string that starts at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  const quote = bytes.indexOf(0x22, start);
  if (quote === -1) return bytes.length;
  if (bytes[quote - 1] !== backslash) return quote + 1;
  let at = start;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}

function unfit(code: string, what: string) {
  const message = `The request body is JSON ${what}.`;
  return apiError("validation_failed", { message, details: [{ path: "", code, message }] });
}
