import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** A run of a command that writes into a folder: what it needs on the way lies in a folder of its own there. */
export interface Run {
  /** New files wait in `new`, former ones in `old`. */
  draft: string;
  id: string;
}

/** A file that a run puts into its folder. */
export interface PlannedFile {
  path: string;
  sha256: string;
}

/** Names this machine. */
export const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
/** Of processes elsewhere only time tells: a run exchanges files within seconds. */
const elsewhereMs = 10 * 60_000;
const own = new Set<string>();

/** Begins a run. The name of its folder says who runs, from the first moment on. git does not see what is in it. */
export async function beginRun(folder: string, planned: readonly PlannedFile[] = []): Promise<Run> {
  const id = randomUUID();
  const name = `.promptreg-${nameOfHolder()}-${id}`;
  const draft = join(folder, name);
  own.add(name);
  try {
    await mkdir(draft);
    await writeFile(join(draft, ".gitignore"), "*\n");
    await writeFile(
      join(draft, "plan.json"),
      JSON.stringify(planned.map(({ path, sha256 }) => ({ path, sha256 }))),
    );
    return { draft, id };
  } catch (error) {
    // The first error says why.
    await rm(draft, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

/** Ends a run: nothing is brought back from then on, wherever the removal is cut off. */
export async function endRun({ draft }: Pick<Run, "draft">): Promise<void> {
  await rename(join(draft, "plan.json"), join(draft, "done.json")).catch(() => {});
  for (const part of ["old", "new"]) await rm(join(draft, part), { recursive: true, force: true });
  await rm(draft, { recursive: true, force: true });
}

/** Notes the file that a run writes last, right before: from that file on it counts as done. */
export const announce = ({ draft }: Run, text: string | null): Promise<void> =>
  writeFile(join(draft, "last"), digestOf(text));

/** Whether a run got as far as its last step. */
export async function isDone(draft: string, last: string | undefined): Promise<boolean> {
  if (await isThere(join(draft, "done.json"))) return true;
  const announced = await readFile(join(draft, "last"), "utf8").catch(() => null);
  if (announced === null || last === undefined) return false;
  return announced === digestOf(await readFile(last, "utf8").catch(() => null));
}

/** Where the runs in a folder are whose processes are gone. */
export async function leftRuns(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const left: string[] = [];
  for (const name of names) {
    const found = /^\.promptreg-(\d+)-([0-9a-f]{8})-[0-9a-f-]{36}$/.exec(name);
    if (found === null || own.has(name)) continue;
    const draft = join(folder, name);
    if ((await lstat(draft).catch(() => null))?.isDirectory() && (await isGone(found.slice(1), draft)))
      left.push(draft);
  }
  return left;
}

/** The id of a run, by its folder. */
export const idOf = (draft: string): string => basename(draft).slice(-36);

/** Names this process among those of all hosts: `<pid>-<host>`. */
export const nameOfHolder = (): string => `${process.pid}-${host}`;

/** Whether the process that made a file or folder is gone. */
export async function isGone([pid, at]: readonly string[], place: string): Promise<boolean> {
  if (at !== host) return Date.now() - (await stat(place)).mtimeMs > elsewhereMs;
  // In a container each process may have the number that the last one had.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

const digestOf = (text: string | null) =>
  text === null ? "none" : createHash("sha256").update(text).digest("hex");

export const isThere = (place: string): Promise<boolean> =>
  lstat(place).then(
    () => true,
    () => false,
  );

/** Tries whether a folder, which may not be there yet, can be written. */
export async function tryFolder(folder: string): Promise<void> {
  let there = resolve(folder);
  while (!(await isThere(there))) there = dirname(there);
  await endRun(await beginRun(there));
}
