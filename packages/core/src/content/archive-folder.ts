import { splitFrontmatter } from "../template/frontmatter.ts";
import type { PromptKind } from "./kinds.ts";
import { isDeviceName } from "./paths.ts";
import { readYaml } from "./plain-data.ts";

/** The folder that holds all files of an archive. That of a skill has its name, as the standard wants it. */
export function archiveFolder({
  kind,
  slug,
  n,
  entry,
}: {
  kind: PromptKind;
  slug: string;
  n: number;
  /** The text of the entry file. */
  entry: string;
}): string {
  const own = kind === "skill" ? skillName(entry) : undefined;
  return own ?? `${slug}-v${n}`;
}

function skillName(entry: string): string | undefined {
  const data = readYaml(splitFrontmatter(entry).yaml ?? "", 2);
  const name = "value" in data ? (data.value as { name?: unknown } | null)?.name : undefined;
  // A commit checks this. What stands in a path is checked here too.
  const isFolder = typeof name === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && !isDeviceName(name);
  return isFolder ? name : undefined;
}
