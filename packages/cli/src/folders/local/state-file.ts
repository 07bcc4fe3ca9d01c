import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../terminal/objects.ts";

/** The folder of the state: it lies in the prompt's folder, moves with it, and hides itself from git. */
export const stateFolder = ".promptreg-state";

/** Far more than a state needs, with several registries, or with the texts of a prompt. */
const maxBytes = 4 * 1024 * 1024;

/** A prompt's folder, and whether its state counts: one that came with a commit tells of another checkout, or lies. */
export interface StatePlace {
  folder: string;
  isStateTrusted: boolean;
}

/** Reads a file of the state. One that is not there, or says nothing usable, is an empty object: it is written anew. */
export async function readStateFile(
  { folder, isStateTrusted }: StatePlace,
  name: string,
): Promise<Record<string, unknown>> {
  const file = join(folder, stateFolder, name);
  try {
    if (!isStateTrusted || !(await isOwnFolder(folder))) return {};
    const stat = await lstat(file);
    if (!stat.isFile() || stat.size > maxBytes) return {};
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Writes a file of the state; who reads it meanwhile sees the old one or the new one. */
export async function writeStateFile(folder: string, name: string, value: object): Promise<void> {
  const file = join(folder, stateFolder, name);
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(join(folder, stateFolder), { recursive: true });
    if (!(await isOwnFolder(folder))) throw new Error("it is a link");
    await writeOnce(join(folder, stateFolder, ".gitignore"), "*\n");
    await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** Leaves alone what is there: a link, which came with somebody's repository, would lead us to write elsewhere. */
const writeOnce = (file: string, text: string) =>
  writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });

/** So would a folder that is one. */
const isOwnFolder = async (folder: string) => (await lstat(join(folder, stateFolder))).isDirectory();
