import { isUtf8 } from "node:buffer";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type FileInput, isRepository } from "@promptreg/core/content";
import { InputError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";
import { type Manifest, manifestName } from "./manifest.ts";
import { readFileAt } from "../../disk/read-file.ts";
import { createSelection, type Refusal, type Selection } from "./selection.ts";
import { asGitKeeps } from "./line-endings.ts";
import { readLinks } from "./read-links.ts";
import { stateFolder } from "./state-file.ts";
import { quoted } from "../../terminal/text.ts";

// The registry's own limits, kept here too, so that a folder named by mistake is not read to its end.
const maxFiles = 200;
const maxLevels = 8;
const maxFileMebibytes = 5;

/** Of a text that is executable here goes out all but that. */
export const modeStays = "sent without its executable bit: only scripts keep it";

/** What a push leaves where it is, and why. */
export interface LeftBehind {
  /** Relative to the prompt's folder; of a folder that stays behind as a whole it ends in a slash. */
  path: string;
  why: NonNullable<Refusal> | "a dotfile" | "node_modules" | "a prompt of its own" | typeof modeStays;
}

/** What serves the files, and is none of them: nobody expects it to go out. */
const neverReported =
  /^(\.git|\.gitignore|\.gitattributes|\.gitkeep|\.promptregignore|\.promptreg-state|\.DS_Store)$/;

const isManifest = (name: string) => name.toLowerCase() === manifestName;
const whyNamed = (name: string) =>
  name === "node_modules" ? "node_modules" : name.startsWith(".") ? "a dotfile" : null;

/** Of the paths of a version those that a push takes: no manifest, no dotfiles, no node_modules, no prompt in the prompt. */
export function takenOf(paths: readonly string[]): Set<string> {
  const isPrompt = new Set(paths.filter((path) => isManifest(path.replace(/^.*\//, ""))).map(folderOf));
  return new Set(
    paths.filter((path) => {
      if (isManifest(path) || path.split("/").some((name) => whyNamed(name) !== null)) return false;
      for (let at = folderOf(path); at !== ""; at = folderOf(at)) if (isPrompt.has(at)) return false;
      return true;
    }),
  );
}
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** How a folder is read. */
export interface Reading {
  selection?: Selection | undefined;
  /** Paths that count though git ignores them: a pull has written them. */
  pulled?: readonly string[] | undefined;
  /** Stands for what a manifest lacks. */
  given?: Partial<Manifest> | undefined;
}

/** Reads the files of a prompt folder that go out, each once: what is hashed and compared is what is sent. */
export async function readFolder(
  folder: string,
  { selection = createSelection([folder]), pulled }: Reading = {},
): Promise<{ files: FileInput[]; leftBehind: LeftBehind[]; isStateTrusted: boolean }> {
  const files: FileInput[] = [];
  const leftBehind: LeftBehind[] = [];
  const links: string[] = [];
  const isPulled = (path: string) => pulled?.some((one) => one === path || one.startsWith(`${path}/`));
  const read = async (inside: string, names: readonly string[], level: number): Promise<void> => {
    if (isRepository(names)) {
      throw new InputError(
        `${join(folder, inside)} looks like a git repository (HEAD beside objects and refs, or commondir). Git would run commands from its settings.`,
      );
    }
    const judge = await selection.in(join(folder, inside));
    for (const name of [...names].sort()) {
      if (neverReported.test(name) || (inside === "" && isManifest(name))) continue;
      const path = inside === "" ? name : `${inside}/${name}`;
      const stat = await lstat(join(folder, path)).catch((error: unknown) => {
        // A byte that is no letter was read as this one, under which there is nothing.
        if (!name.includes("\ufffd")) throw unreadable(join(folder, path), error);
        throw new InputError(`${join(folder, path)} has a name that is not UTF-8.`);
      });
      const isFolder = stat.isDirectory();
      const why = whyNamed(name) ?? (isPulled(path) ? null : judge(name, isFolder));
      const within = isFolder && why === null ? await readdir(join(folder, path)) : [];
      if (why !== null || within.some(isManifest)) {
        leftBehind.push({ path: isFolder ? `${path}/` : path, why: why ?? "a prompt of its own" });
      } else if (stat.isSymbolicLink()) {
        links.push(path);
      } else if (isFolder) {
        if (level === maxLevels) throw new InputError(`${folder} is more than ${maxLevels} levels deep.`);
        await read(path, within, level + 1);
      } else {
        if (files.length === maxFiles)
          throw new InputError(`${folder} contains more than ${maxFiles} files.`);
        const { bytes, mode } = readFileAt(join(folder, path), maxFileMebibytes);
        const file = toInput(path, bytes, mode);
        files.push(file);
        if ((mode & 0o111) !== 0 && file.mode === undefined) leftBehind.push({ path, why: modeStays });
      }
    }
  };
  try {
    if (pulled === undefined && (await selection.ignores(folder))) {
      throw new InputError(
        `git ignores ${folder}, so nothing in it is sent. \`git check-ignore -v ${quoted(folder)}\` shows the rule.`,
      );
    }
    const names = await readdir(folder);
    // Not every disk tells its case.
    const state = names.find((name) => name.toLowerCase() === stateFolder);
    const isStateTrusted = state === undefined || !(await selection.tracksState(join(folder, state)));
    await read("", names, 1);
    const kept = await asGitKeeps(folder, files);
    return { files: [...kept, ...readLinks(folder, links, kept)], leftBehind, isStateTrusted };
  } catch (error) {
    throw error instanceof InputError ? error : unreadable(folder, error);
  }
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
