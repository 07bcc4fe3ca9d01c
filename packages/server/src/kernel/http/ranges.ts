import type { ByteRange } from "../store/store.ts";

/**
 * The bytes that a `Range` header asks for, of so many: null for all of them, as for several ranges and for what cannot be read, which
 * HTTP lets a server ignore.
 * @returns "unsatisfiable" if none of the bytes exists.
 */
export function readRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const start = Math.max(0, size - Number(last));
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : { start, end: size - 1 };
  }
  const range = { start: Number(first), end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
  if (last !== "" && Number(last) < range.start) return null;
  return range.start >= size ? "unsatisfiable" : range;
}
