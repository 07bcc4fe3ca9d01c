import { lstatSync } from "node:fs";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Source, SourceFile } from "@promptreg/core/imports";
import { InputError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";
import { toolFolder } from "../local/find-folders.ts";
import type { Selection } from "../local/selection.ts";

/** More is no collection of prompts, but a folder that was named by mistake. */
const maxFiles = 50_000;

/** What lies in a folder, or a file by itself. */
export interface LocalSource extends Source {
  /** The folder that paths are relative to. */
  root: string;
  /** What the folder, the archive or the repository is called. */
  project: string;
  /** Whether a path is what was asked for: beside a file lie others that it may name. */
  isWanted: (path: string) => boolean;
  /** The path of a file that was named by itself. */
  alone?: string;
  /** What of an archive is not there, and why. */
  leftOut?: readonly { path: string; reason: string }[];
}

/** Opens a folder or a file. What git ignores is not there; links are not followed, since they may lead out of it. */
export async function openFolder(place: string, selection: Selection): Promise<LocalSource> {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) throw new InputError(`${place} does not exist.`);
  const isFile = stat.isFile();
  if (!isFile && !stat.isDirectory())
    throw new InputError(
      `${place} is neither a folder nor a file. A link is not followed: name what it leads to.`,
    );
  const root = isFile ? rootOf(resolve(place)) : rootOfFolder(place);
  const own = relativeTo(root, place);
  const isAlone = isFile && !/promptfooconfig/i.test(basename(place));
  const files = isAlone
    ? [fileAt(root, own)]
    : await filesIn(isFile ? dirname(place) : place, root, selection);
  return {
    root,
    project: basename(resolve(root)),
    files,
    ...(isAlone && { alone: own }),
    isWanted: (path) => !isFile || path === own,
    read: async (path) => {
      try {
        return await readFile(join(root, path));
      } catch (error) {
        throw unreadable(join(root, path), error);
      }
    },
    stream: (path) => createReadStream(join(root, path)),
  };
}

/** A place as it is written in a folder, with `/`. */
export const relativeTo = (folder: string, place: string): string =>
  relative(resolve(folder), resolve(place)).split(sep).join("/");

/** Tools know their files by the folders above: `.claude/commands/git/commit.md`. */
function rootOf(file: string): string {
  const names = file.split(sep);
  const hidden = names.findLastIndex((name, index) => index < names.length - 1 && name.startsWith("."));
  return hidden > 0 ? names.slice(0, hidden).join(sep) || sep : dirname(dirname(file));
}

/** The same of a folder that was named; most are the root themselves. */
function rootOfFolder(folder: string): string {
  const place = resolve(folder);
  const isOfTool = toolFolder.test(basename(place)) || toolFolder.test(basename(dirname(place)));
  return isOfTool || /^prompts?$/i.test(basename(place))
    ? relative("", rootOf(join(place, "x"))) || "."
    : folder;
}

const fileAt = (root: string, path: string): SourceFile => {
  const { size, mode } = lstatSync(join(root, path));
  return { path, size, mode: (mode & 0o111) === 0 ? "100644" : "100755" };
};

async function filesIn(folder: string, root: string, selection: Selection): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const walk = async (at: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch((error: unknown) => {
      throw unreadable(at, error);
    });
    const judge = await selection.in(at);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { name } = entry;
      if (name === ".git" || name === "node_modules" || judge(name, entry.isDirectory()) === "ignored by git")
        continue;
      if (entry.isDirectory()) await walk(join(at, name));
      else if (entry.isFile()) {
        if (files.length === maxFiles)
          throw new InputError(`${folder} contains more than ${maxFiles} files.`);
        files.push(fileAt(root, relativeTo(root, join(at, name))));
      }
    }
  };
  await walk(folder);
  return files;
}
