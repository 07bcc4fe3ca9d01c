import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../requests/client.ts";
import { InputError } from "../../errors.ts";
import { addressOf } from "../../prompts/index.ts";
import { modeStays } from "../local/read-folder.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import type { Remote } from "./remote.ts";

/** So many are named of what stays behind. */
const fewNamed = 5;

/** What is said of a folder in which something stays behind: a note of files, and one of modes; or none. */
export function leftBehindNote({ folder, leftBehind }: Pick<LocalPrompt, "folder" | "leftBehind">): string[] {
  const modes = leftBehind.filter(({ why }) => why === modeStays);
  const files = leftBehind.filter(({ why }) => why !== modeStays);
  return [
    ...noteOf(
      files,
      (names) => `${folder}: ${files.length} not sent: ${names}`,
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

/**
 * Keeps a push from deleting in the registry what is here, and only stays behind.
 * @throws {InputError} that names the files.
 */
export async function refuseHiddenDeletions(
  client: Client,
  { folder, files, leftBehind }: Pick<LocalPrompt, "folder" | "files" | "leftBehind">,
  remote: Remote,
): Promise<void> {
  const sent = new Set(files.map(({ path }) => path));
  const hidden = leftBehind.filter(({ path }) => !sent.has(path));
  if (hidden.length === 0 || !remote.latest) return;
  const { n } = remote.latest;
  const { files: latest } = await client.prompts.versions.get({ ...addressOf(remote), n });
  const details = latest.flatMap(({ path }) => {
    const by = hidden.find(
      (one) => one.path === path || (one.path.endsWith("/") && path.startsWith(one.path)),
    );
    if (by === undefined || sent.has(path) || !existsSync(join(folder, path))) return [];
    return [{ path, message: `is not sent (${by.why}), but is in version ${n}` }];
  });
  if (details.length === 0) return;
  throw new InputError(
    `${folder}: this push would delete files in the registry that still exist here. To send them, use \`git add -f\` or change the ignore file. To delete them in the registry, delete them here too.`,
    details,
  );
}
