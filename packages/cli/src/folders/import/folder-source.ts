import { createReadStream, lstatSync, realpathSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Source, SourceFile } from "@promptreg/core/imports";
import { InputError } from "../../errors.ts";
import { pathFromTo } from "../../disk/places.ts";
import { unreadable } from "../../terminal/read-input.ts";
import { targetOf } from "../local/read-links.ts";
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

/** Opens a folder or a file. What git ignores is not there. A link is there if it leads to a file that is: others may lead out of it. */
export async function openFolder(place: string, selection: Selection): Promise<LocalSource> {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) throw new InputError(`${place} does not exist.`);
  const isFile = stat.isFile();
  if (!isFile && !stat.isDirectory())
    throw new InputError(
      `${place} is neither a folder nor a file. A link is not followed: name what it leads to.`,
    );
  const root = isFile ? rootOf(resolve(place)) : rootOfFolder(place);
  const own = pathFromTo(root, place);
  const isAlone = isFile && !/promptfooconfig/i.test(basename(place));
  const { files, links } = isAlone
    ? { files: [fileAt(root, own)], links: [] }
    : await filesIn(isFile ? dirname(place) : place, root, selection);
  const { linked, leftOut } = followLinks(root, links, files);
  const targets = new Map(linked.map(({ path, target }) => [path, target.path]));
  const placeOf = (path: string) => join(root, targets.get(path) ?? path);
  return {
    root,
    project: basename(resolve(root)),
    files: [...files, ...linked.map(({ path, target }) => ({ ...target, path }))],
    leftOut,
    ...(isAlone && { alone: own }),
    isWanted: (path) => !isFile || path === own,
    read: async (path) => {
      try {
        return await readFile(placeOf(path));
      } catch (error) {
        throw unreadable(placeOf(path), error);
      }
    },
    stream: (path) => createReadStream(placeOf(path)),
  };
}

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

/** The links that lead to one of the files; of the others those that lead to something else. A folder that is here is found where it is. */
function followLinks(root: string, links: readonly string[], files: readonly SourceFile[]) {
  if (links.length === 0) return { linked: [], leftOut: [] };
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folders = new Set<string>();
  for (const { path } of files)
    for (let at = dirname(path); !folders.has(at); at = dirname(at)) folders.add(at);
  const top = realpathSync(root);
  const linked: { path: string; target: SourceFile }[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  for (const path of links) {
    const target = targetOf(top, path) ?? "";
    const file = leadsToHidden(path, target) ? undefined : byPath.get(target);
    if (file !== undefined) linked.push({ path, target: file });
    else if (!folders.has(target))
      leftOut.push({ path, reason: "it is a symbolic link to no file of this folder." });
  }
  return { linked, leftOut };
}

/** Settings and secrets have names with a dot: a link may not bring them in under another name. Those of tools are read anyway. */
function leadsToHidden(path: string, target: string): boolean {
  const above = path.split("/").slice(0, -1);
  const names = target.split("/");
  const common = names.findIndex((name, index) => name !== above[index]);
  return names.slice(common).some((name) => name.startsWith(".") && !toolFolder.test(name));
}

async function filesIn(folder: string, root: string, selection: Selection) {
  const files: SourceFile[] = [];
  const links: string[] = [];
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
      else if (entry.isSymbolicLink()) links.push(pathFromTo(root, join(at, name)));
      else if (entry.isFile()) {
        if (files.length === maxFiles)
          throw new InputError(`${folder} contains more than ${maxFiles} files.`);
        files.push(fileAt(root, pathFromTo(root, join(at, name))));
      }
    }
  };
  await walk(folder);
  return { files, links };
}
