import { readYaml } from "../../groups/prompts/plain-data.ts";
import { splitFrontmatter } from "../../template/frontmatter.ts";
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
