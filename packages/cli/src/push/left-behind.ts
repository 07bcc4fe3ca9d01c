import { modeStays } from "./folder.ts";
import type { LocalPrompt } from "./read-prompt.ts";

/** So many are named of what stays behind. */
const fewNamed = 5;

/** What is said of a folder in which something stays behind: a note of files, and one of modes; or none. */
export function leftBehindNote({ folder, leftBehind }: Pick<LocalPrompt, "folder" | "leftBehind">): string[] {
  const modes = leftBehind.filter(({ why }) => why === modeStays);
  const files = leftBehind.filter(({ why }) => why !== modeStays);
  return [
    ...noteOf(
      files,
      (names) => `${folder}: ${files.length} left behind: ${names}`,
      ({ path, why }) => `${path} (${why})`,
    ),
    ...noteOf(
      modes,
      (names) => `${folder}: ${modeStays}: ${names}`,
      ({ path }) => path,
    ),
  ];
}

function noteOf<T>(items: readonly T[], say: (names: string) => string, name: (item: T) => string): string[] {
  if (items.length === 0) return [];
  const rest = items.length - fewNamed;
  const names = items.slice(0, fewNamed).map(name).join(", ");
  return [say(rest > 0 ? `${names} and ${rest} more` : names)];
}
