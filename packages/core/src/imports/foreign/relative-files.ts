import { ImportError, type Surroundings } from "../detector.ts";

/**
 * The files that a text names from its folder: one by its path, or several by a pattern with one star.
 * @throws {ImportError} if they lie outside of the source, or a pattern fits none.
 */
export function pathsOf(name: string, folder: string, { paths }: Surroundings): string[] {
  const path = resolve(name, folder);
  if (!path.includes("*")) return [path];
  const fitting = matching(path, paths);
  if (fitting.length === 0) throw new ImportError(`No file fits ${name}.`);
  return fitting;
}

function resolve(name: string, folder: string): string {
  const parts: string[] = [];
  for (const part of `${name.startsWith("/") ? "" : folder}${name}`.split("/")) {
    if (part === ".." && parts.length === 0) throw outside(name);
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  if (/^([a-z]:|\/|~)/i.test(name) || name.includes("\\")) throw outside(name);
  return parts.join("/");
}

const outside = (name: string) => new ImportError(`${name} is outside of what is imported.`);

/** `prompts/*.txt`, or with all folders below: `prompts/**\/*.txt`. Other patterns could take for ever. */
function matching(pattern: string, paths: readonly string[]): string[] {
  const [, start, deep, end] = /^([^*?[\]{}]*?)(\*\*\/)?\*([^*?[\]{}/]*)$/.exec(pattern) ?? [];
  if (start === undefined || end === undefined)
    throw new ImportError(`The pattern ${pattern} cannot be read.`);
  return paths.filter(
    (path) =>
      path.length >= start.length + end.length &&
      path.startsWith(start) &&
      path.endsWith(end) &&
      (deep !== undefined || !path.slice(start.length).includes("/")),
  );
}
