import type { LocalPrompt } from "./read-prompt.ts";

/** So many are named of what stays behind. */
const fewNamed = 5;

/** What is said of a folder in which something stays behind: a note, or none. */
export function leftBehindNote({ folder, leftBehind }: Pick<LocalPrompt, "folder" | "leftBehind">): string[] {
  if (leftBehind.length === 0) return [];
  const named = leftBehind.slice(0, fewNamed).map(({ path, why }) => `${path} (${why})`);
  const rest = leftBehind.length - named.length;
  return [
    `${folder}: ${leftBehind.length} left behind: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`,
  ];
}
