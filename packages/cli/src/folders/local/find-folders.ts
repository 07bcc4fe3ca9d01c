import { realpathSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { folderAbove } from "../../disk/look-upward.ts";
import { InputError, UsageError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";
import { rootOf } from "../../disk/work-tree.ts";
import { type Manifest, manifestName, readManifest } from "./manifest.ts";
import { createSelection, type Selection } from "./selection.ts";

/** The places that are meant where none is named: the prompt around this folder, else the prompts below it. */
export const placesOr = (places: readonly string[]): readonly string[] =>
  places.length > 0 ? places : [folderAbove(manifestName) ?? "."];

/** The same for what is sent: prompts below this folder go out only when it is named. */
export function placesToSend(places: readonly string[]): readonly string[] {
  if (places.length > 0) return places;
  const around = folderAbove(manifestName);
  if (around !== undefined) return [around];
  throw new UsageError("This folder is in no prompt. `promptreg push .` sends all prompts below it.");
}

/**
 * Finds the prompt folders that places lead to: the folder itself, that of a file in it or of its source elsewhere, or all below a
 * tree but where git ignores it; each once and in the order of their names.
 */
export async function findFolders(
  places: readonly string[],
  selection: Selection = createSelection(places),
): Promise<string[]> {
  const found = new Set<string>();
  for (const place of places) {
    const folders = await searched(place, selection);
    if (folders.length === 0) {
      if (isFile(place))
        throw new InputError(
          `${place} is in no prompt folder, and no manifest names it as its source. \`promptreg init\` makes a prompt of it.`,
        );
      const but = (await selection.ignores(place)) ? " that git does not ignore" : "";
      throw new InputError(
        `There is no ${manifestName} in ${place} or below${but}. Every prompt folder has one. \`promptreg init\` creates it.`,
      );
    }
    for (const folder of folders) found.add(folder);
  }
  return [...found];
}

async function searched(place: string, selection: Selection): Promise<string[]> {
  try {
    if (!(await stat(place)).isFile()) return await below(place, { selection });
    const own = await below(dirname(place), { isDeep: false, selection });
    return own.length > 0 ? own : await withSource(place, selection);
  } catch (error) {
    throw unreadable(place, error);
  }
}

const isFile = (place: string) => statSync(place, { throwIfNoEntry: false })?.isFile() === true;

/** The prompts of the project whose manifests name a file as their source. */
async function withSource(file: string, selection: Selection): Promise<string[]> {
  const root = rootOf(realpathSync(dirname(file))) ?? ".";
  const found: string[] = [];
  for (const folder of await below(relative("", root) || ".", { selection })) {
    const { source } = await readManifest(folder).catch((): Partial<Manifest> => ({}));
    if (source !== undefined && resolve(folder, source) === resolve(file)) found.push(folder);
  }
  return found;
}

/** The folders in which tools keep prompts; others whose name begins with a dot hold none. */
export const toolFolder =
  /^\.(?:agents|claude|clinerules|codex|continue|cursor|devin|gemini|github|opencode|windsurf)$/i;

/** Prompts do not lie in one another. Links are not followed: they may lead in circles. */
async function below(
  folder: string,
  { isDeep = true, selection }: { isDeep?: boolean; selection: Selection },
): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === manifestName)) return [folder];
  const folders = entries.filter(
    (entry) =>
      isDeep &&
      entry.isDirectory() &&
      (!entry.name.startsWith(".") || toolFolder.test(entry.name)) &&
      entry.name !== "node_modules",
  );
  if (folders.length === 0) return [];
  const judge = await selection.in(folder);
  const found: string[] = [];
  for (const { name } of folders.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    // A repository in the repository is searched as well: what is in it is its own git's to say.
    const why = judge(name, true);
    if (why === null || why === "a git repository of its own")
      found.push(...(await below(join(folder, name), { selection })));
  }
  return found;
}
