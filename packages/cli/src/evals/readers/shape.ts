import { JsonCutter } from "./json-cut.ts";

/** What the beginning of a file shows: by it a reader knows its own. */
export type Shape =
  /** The paths of the values that begin there, such as `$.results[]`. */
  | { form: "json"; paths: ReadonlySet<string> }
  /** The name of the outermost element. */
  | { form: "xml"; root: string }
  | { form: "none" };

/** How much of a file is read to see what it is. */
export const headBytes = 1024 * 1024;
const maxPaths = 5000;

export function shapeOf(head: Uint8Array): Shape {
  const text = new TextDecoder().decode(head.subarray(0, 4096)).trimStart();
  if (text.startsWith("<")) return { form: "xml", root: rootOf(text) };
  if (!text.startsWith("{") && !text.startsWith("[")) return { form: "none" };
  const paths = new Set<string>();
  const cutter = new JsonCutter([], (path) => {
    if (paths.size < maxPaths) paths.add(path);
  });
  try {
    for (const _ of cutter.read(head)) break;
  } catch {
    // What is wrong is said by whoever reads all of it.
  }
  return { form: "json", paths };
}

/** What may stand before the root element. Sticky: what one match read, no other reads again. */
const prolog = /\s+|<\?[^>]*>|<!--[^]*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\][^>]*)?>/y;

function rootOf(text: string): string {
  let start = 0;
  for (prolog.lastIndex = 0; prolog.test(text); start = prolog.lastIndex);
  return /^<([\w:.-]+)/.exec(text.slice(start))?.[1] ?? "";
}

/** Whether all of these paths begin there. */
export const has = (shape: Shape, ...paths: readonly string[]): boolean =>
  shape.form === "json" && paths.every((path) => shape.paths.has(path));
