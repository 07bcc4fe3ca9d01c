import { readYaml } from "../../content/plain-data.ts";
import { splitFrontmatter, withoutByteOrderMark } from "../../template/frontmatter.ts";
import { ImportError } from "../detector.ts";
import { isObject, type Values } from "./values.ts";

/** Lines with `#`, such as a licence, that may stand before the frontmatter. */
const comment = /^\uFEFF?(?:(?:#[^\n]*|[ \t\r]*)\n)+(?=---)/;

/**
 * The frontmatter and the body of a file.
 * @throws {ImportError} if the frontmatter cannot be read.
 */
export function readFrontmatter(text: string): { data: Values; body: string } {
  const [before = ""] = comment.exec(text) ?? [];
  const { yaml, body } = splitFrontmatter(text.slice(before.length));
  const data = readYaml(yaml ?? "", before.split("\n").length + 1);
  if ("problem" in data) throw new ImportError(`The frontmatter ${data.problem}.`);
  return { data: isObject(data.value) ? data.value : {}, body };
}

/** More is no frontmatter that a person wrote. */
const maxLenient = 64 * 1024;

/**
 * The same of a file that a coding tool reads line by line: `globs: *.ts` and `description: Use when: x` are no YAML. What is not
 * YAML is read as `key: value`, and a warning says so.
 */
export function readLenient(text: string): { data: Values; body: string; warnings: string[] } {
  const { yaml, body } = splitFrontmatter(text);
  if (yaml === null) {
    const isOpen = /^---[ \t]*\r?\n/.test(withoutByteOrderMark(text));
    const warnings = isOpen ? ["The frontmatter has no closing ---. It stays in the text."] : [];
    return { data: {}, body, warnings };
  }
  const strict = readYaml(yaml, 2);
  if ("value" in strict) {
    if (strict.value === null || isObject(strict.value))
      return { data: isObject(strict.value) ? strict.value : {}, body, warnings: [] };
    return { data: {}, body, warnings: ["The frontmatter is no list of keys. It is left out."] };
  }
  if (yaml.length > maxLenient) throw new ImportError(`The frontmatter ${strict.problem}.`);
  const { data, left } = byLines(yaml);
  // Where all lines can be read, the file is as its tool wants it.
  if (left.length === 0) return { data, body, warnings: [] };
  const lines = `${left.length === 1 ? "Line" : "Lines"} ${left.slice(0, 20).join(", ")}`;
  return { data, body, warnings: [`The frontmatter ${strict.problem}. ${lines} of it could not be read.`] };
}

/** Reads lines of `key: value`, and lists of `- item` below a key. */
function byLines(yaml: string): { data: Values; left: number[] } {
  const data = new Map<string, unknown>();
  const left: number[] = [];
  let last: string | undefined;
  for (const [index, line] of yaml.split(/\r?\n/).entries()) {
    const [, key, value = ""] = /^([\w-]+)[ \t]*:(.*)/s.exec(line) ?? [];
    const [, item] = /^[ \t]*-[ \t](.*)/s.exec(line) ?? [];
    const list = last === undefined ? undefined : data.get(last);
    if (key !== undefined) {
      data.set(key, valueOf(value.trim()));
      last = key;
    } else if (item !== undefined && last !== undefined && (list === null || Array.isArray(list))) {
      if (Array.isArray(list)) list.push(bare(item.trim()));
      else data.set(last, [bare(item.trim())]);
    } else if (line.trim() !== "" && !line.trimStart().startsWith("#")) left.push(index + 2);
  }
  // `fromEntries` takes `__proto__` as a name like any other.
  return { data: Object.fromEntries(data), left };
}

function valueOf(text: string): unknown {
  if (text === "") return null;
  if (text === "true" || text === "false") return text === "true";
  const [, list] = /^\[(.*)\]$/.exec(text) ?? [];
  return list === undefined ? bare(text) : list.split(",").flatMap((item) => bare(item.trim()) || []);
}

const bare = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
