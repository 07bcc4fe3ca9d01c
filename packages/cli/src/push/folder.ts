import { isUtf8 } from "node:buffer";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileInput } from "@promptreg/core";
import { InputError } from "../errors.ts";
import { unreadable } from "../read-input.ts";
import { manifestName } from "./manifest.ts";

// The registry's own limits, kept here too, so that a folder named by mistake is not read to its end.
const maxFiles = 200;
const maxLevels = 8;
const maxFileBytes = 5 * 1024 * 1024;

/** Whether a push takes no notice of a path: dotfiles, node_modules and the manifest. */
export const isLeftBehind = (path: string): boolean =>
  path.toLowerCase() === manifestName ||
  path.split("/").some((name) => name.startsWith(".") || name === "node_modules");

/** Reads the files of a prompt folder. Dotfiles, node_modules and the manifest stay behind. */
export async function readFolder(folder: string): Promise<FileInput[]> {
  const files: FileInput[] = [];
  const read = async (inside: string, level: number): Promise<void> => {
    for (const name of (await readdir(join(folder, inside))).sort()) {
      const path = inside === "" ? name : `${inside}/${name}`;
      if (isLeftBehind(path)) continue;
      const stat = await lstat(join(folder, path));
      if (stat.isDirectory()) {
        if (level === maxLevels) throw new InputError(`${folder} is more than ${maxLevels} levels deep.`);
        await read(path, level + 1);
        continue;
      }
      if (stat.isSymbolicLink()) {
        throw new InputError(`${join(folder, path)} is a symbolic link. Put the file itself there.`);
      }
      if (!stat.isFile()) throw new InputError(`${join(folder, path)} is neither a file nor a folder.`);
      if (stat.size > maxFileBytes) throw new InputError(`${join(folder, path)} is over 5 MiB.`);
      if (files.length === maxFiles) throw new InputError(`${folder} holds more than ${maxFiles} files.`);
      files.push(toInput(path, await readFile(join(folder, path)), stat.mode));
    }
  };
  try {
    await read("", 1);
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(folder, error);
  }
  return files;
}

/** A file as it is sent: text as it is, bytes in base64. */
export function toInput(path: string, bytes: Buffer, mode: number): FileInput {
  const isText = isUtf8(bytes) && !bytes.includes(0);
  const isScript = path.startsWith("scripts/") || bytes.subarray(0, 2).toString() === "#!";
  return {
    // Some systems hand names out in parts, letter and accent.
    path: path.normalize("NFC"),
    ...(isText ? { content: bytes.toString() } : { content: bytes.toString("base64"), encoding: "base64" }),
    ...(isScript && (mode & 0o111) !== 0 && { mode: "100755" }),
  };
}
