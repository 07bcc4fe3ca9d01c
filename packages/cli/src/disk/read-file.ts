import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { InputError } from "../errors.ts";
import { unreadable } from "../terminal/read-input.ts";

const mebibyte = 1024 * 1024;

/**
 * Reads what was opened, whatever takes its place meanwhile: an ordinary file and no more of it than that. A link is not
 * followed, and nothing is waited for.
 * @throws {InputError} for what is no such file.
 */
export function readFileAt(place: string, mebibytes: number): { bytes: Buffer; mode: number } {
  // Windows lacks the last two, where undefined adds nothing.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number | undefined;
  try {
    if (lstatSync(place).isSymbolicLink()) throw linked(place);
    file = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw new InputError(`${place} is a folder. Name a file.`);
    if (!stat.isFile()) throw special(place);
    if (stat.size > mebibytes * mebibyte) throw new InputError(`${place} is larger than ${mebibytes} MiB.`);
    return { bytes: readFileSync(file), mode: stat.mode };
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") throw linked(place);
    if (code === "ENXIO") throw special(place);
    throw unreadable(place, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const linked = (place: string) => new InputError(`${place} is a symbolic link. Replace it with the file.`);
const special = (place: string) => new InputError(`${place} is neither a file nor a folder.`);
