import { lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathProblems } from "@promptreg/core/content";
import { clearLock } from "./lock.ts";
import { makeFolders, pathFromTo, placeIn, removeEmpty, sha256Of, takenIn } from "./places.ts";
import { endRun, idOf, isDone, isThere, leftRuns, type PlannedFile } from "./runs.ts";

/**
 * Ends what commands left in a folder that were killed while they wrote there: a run that was done is cleared away, any
 * other one is undone. What somebody wrote since stays.
 * @param last the file that such a run writes last.
 * @returns what to tell.
 */
export async function recoverRuns(folder: string, last?: string): Promise<string[]> {
  const notes: string[] = [];
  for (const draft of await leftRuns(folder)) {
    if (last !== undefined) {
      await clearLock(last);
      await rm(`${last}.${idOf(draft)}`, { force: true });
    }
    const [isUndone, stuck] = (await isDone(draft, last)) ? [false, []] : await undo(folder, draft);
    if (stuck.length > 0) {
      notes.push(
        `A command was killed while it wrote here, and ${stuck.join(", ")} changed since. The former files are in ${join(draft, "old")}. Delete ${draft} when you have what you need.`,
      );
      continue;
    }
    await endRun({ draft });
    notes.push(
      `A command was killed while it wrote into ${resolve(folder)}. ${isUndone ? "Its changes are undone." : "What it left is removed."}`,
    );
  }
  return notes;
}

/** Removes the new files, then brings the former ones back. Whoever is killed here leaves the rest to the next. */
async function undo(folder: string, draft: string): Promise<[isUndone: boolean, stuck: string[]]> {
  let isUndone = false;
  const [fresh, old] = [join(draft, "new"), join(draft, "old")];
  for (const { path, sha256 } of await plannedIn(draft)) {
    const place = placeIn(folder, path);
    const isPlaced = (await takenIn(folder, path)) === path && !(await isThere(placeIn(fresh, path)));
    if (!isPlaced || !(await lstat(place)).isFile() || (await sha256Of(place)) !== sha256) continue;
    await rm(place);
    await removeEmpty(folder, path);
    isUndone = true;
  }
  const stuck: string[] = [];
  for (const path of await filesIn(old)) {
    if ((await takenIn(folder, path)) !== null) {
      stuck.push(path);
      continue;
    }
    await makeFolders(dirname(placeIn(folder, path)));
    await rename(placeIn(old, path), placeIn(folder, path));
    isUndone = true;
  }
  return [isUndone, stuck];
}

/** The plan may have come with a repository: it has no say beyond the folder. */
async function plannedIn(draft: string): Promise<PlannedFile[]> {
  try {
    const plan = JSON.parse(await readFile(join(draft, "plan.json"), "utf8")) as PlannedFile[];
    const paths = plan.map(({ path }) => path);
    return pathProblems(paths, { bytes: 1024, levels: 16 }).size === 0 ? plan : [];
  } catch {
    // It was killed before it had one, and did nothing yet.
    return [];
  }
}

async function filesIn(folder: string): Promise<string[]> {
  if (!(await lstat(folder).catch(() => null))?.isDirectory()) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => pathFromTo(folder, join(entry.parentPath, entry.name)));
}
