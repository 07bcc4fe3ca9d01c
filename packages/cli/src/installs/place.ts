import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { folderAbove } from "../disk/look-upward.ts";
import { InputError } from "../errors.ts";
import type { Io } from "../terminal/io.ts";
import { recordName } from "./record.ts";

/** The options that say where prompts are installed. */
export interface PlaceOptions {
  /** The project's folder; where it is not named, the nearest with a record, else this one. */
  project?: string | undefined;
  global?: boolean;
}

/** Where prompts are installed: in a project, or for all projects of a user. */
export interface Place {
  root: string;
  /** The file that says what is installed there. */
  record: string;
  isGlobal: boolean;
}

/**
 * With `--global` the home folder, and a record in `$XDG_DATA_HOME`, `%LOCALAPPDATA%` or `~/.local/share`.
 * @throws {InputError} if the folder is missing: a misspelt project is not created.
 */
export function placeOf({ HOME, XDG_DATA_HOME, LOCALAPPDATA }: Io["env"], options: PlaceOptions): Place {
  const { project = folderAbove(recordName) ?? ".", global: isGlobal = false } = options;
  if (!isGlobal) return { root: folderAt(project), record: join(project, recordName), isGlobal };
  const home = HOME || homedir();
  const data =
    XDG_DATA_HOME || (process.platform === "win32" && LOCALAPPDATA) || join(home, ".local", "share");
  return { root: folderAt(home), record: join(data, "promptreg", "installed.json"), isGlobal };
}

function folderAt(path: string): string {
  if (isFolder(path)) return path;
  throw new InputError(`${path} is not a folder. --project names the folder of the project.`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
