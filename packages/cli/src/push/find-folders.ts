import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../errors.ts";
import { unreadable } from "../read-input.ts";
import { manifestName } from "./manifest.ts";

/**
 * Finds the prompt folders that places lead to: the folder itself, that of a file in it, or all below a tree; each once
 * and in the order of their names.
 */
export async function findFolders(places: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const place of places) {
    const folders = await searched(place);
    if (folders.length === 0) {
      throw new InputError(
        `There is no ${manifestName} in ${place} or below. It makes a folder a prompt; \`promptreg init\` begins one.`,
      );
    }
    for (const folder of folders) found.add(folder);
  }
  return [...found];
}

async function searched(place: string): Promise<string[]> {
  try {
    const isFile = (await stat(place)).isFile();
    return await below(isFile ? dirname(place) : place, { isDeep: !isFile });
  } catch (error) {
    throw unreadable(place, error);
  }
}

/** Prompts do not lie in one another. Links are not followed: they may lead in circles. */
async function below(folder: string, { isDeep = true } = {}): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === manifestName)) return [folder];
  const folders = entries.filter(
    (entry) => isDeep && entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules",
  );
  const found: string[] = [];
  for (const { name } of folders.sort((a, b) => (a.name < b.name ? -1 : 1)))
    found.push(...(await below(join(folder, name))));
  return found;
}
