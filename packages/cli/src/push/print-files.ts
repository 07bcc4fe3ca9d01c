import { cell, countOf } from "../output.ts";
import type { LocalPrompt } from "./read-prompt.ts";

/** So many are named of what stays behind. */
const fewNamed = 5;

/** What is said of a folder in which something stays behind; undefined where nothing does. */
export function leftBehindNote({
  folder,
  leftBehind,
}: Pick<LocalPrompt, "folder" | "leftBehind">): string | undefined {
  if (leftBehind.length === 0) return undefined;
  const named = leftBehind.slice(0, fewNamed).map(({ path, why }) => `${path} (${why})`);
  const rest = leftBehind.length - named.length;
  return `${folder}: ${leftBehind.length} left behind: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The files of a prompt that go out, one a line with its size. */
export function printFiles({ checked }: Pick<LocalPrompt, "checked">): string {
  return checked.map(({ path, size }) => `  ${cell(path)}  ${countOf(size, "byte")}`).join("\n");
}
