import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { FileInput } from "@promptreg/core/content";
import { type Detail, InputError } from "../../errors.ts";

/**
 * What symbolic links to files stand for. A version has no links: each gives the file that it leads to once more, if that is sent itself.
 * Nothing else is read, since a link in a stranger's folder can lead to a key, or to what git ignores.
 * @throws {InputError} that names all links to something else.
 */
export function readLinks(
  folder: string,
  links: readonly string[],
  files: readonly FileInput[],
): FileInput[] {
  if (links.length === 0) return [];
  const root = realpathSync(folder);
  const wrong: Detail[] = [];
  const found = links.flatMap((path) => {
    const target = targetOf(root, path);
    const file = files.find((one) => one.path === target);
    if (file === undefined) wrong.push({ path, message: "is a symbolic link to no file of the prompt" });
    return file === undefined ? [] : { ...file, path };
  });
  if (wrong.length === 0) return found;
  const [{ path }] = wrong as [Detail];
  throw wrong.length === 1
    ? new InputError(
        `${join(folder, path)} is a symbolic link to no file of the prompt. Replace it with the file.`,
      )
    : new InputError(
        `${folder} has symbolic links to no files of the prompt. Replace them with the files.`,
        wrong,
      );
}

/** Where below a folder, named as the disk has it, a link leads; null if it leads out of it, or nowhere. */
export function targetOf(root: string, path: string): string | null {
  try {
    const inside = relative(root, realpathSync(join(root, path)));
    return inside.startsWith("..") || isAbsolute(inside)
      ? null
      : inside.split(sep).join("/").normalize("NFC");
  } catch {
    return null;
  }
}
