import { dirname } from "node:path";
import { makeFolders } from "../disk/places.ts";
import { recoverRuns } from "../disk/recover.ts";
import { unwritable, updateFiles } from "../disk/update-files.ts";
import { Interrupted } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import type { Style } from "../terminal/style.ts";
import { cell, countOf } from "../terminal/text.ts";
import type { Place } from "./place.ts";
import { planSteps, type Wanted } from "./plan.ts";
import { changeRecord, type Install, pathsOf } from "./record.ts";
import { isLoss, type Step } from "./steps.ts";

/** What is installed now, and what is to be. */
export interface Change {
  before: readonly Install[];
  after: readonly Wanted[];
}

/** What was done to a file. */
export interface FileChange {
  path: string;
  status: "created" | "updated" | "overwritten" | "removed" | "unchanged";
}

/**
 * Shows what changes in the files, asks where something would be lost, and does it, all or nothing.
 * @param keepsChanged leaves files as they are that were edited here.
 */
export async function applyChange(
  { confirm, holdInterrupts, output }: Pick<Context, "confirm" | "holdInterrupts" | "output">,
  place: Place,
  { before, after }: Change,
  { keepsChanged = false } = {},
): Promise<FileChange[]> {
  const steps = planSteps(place.root, before, after).filter((step) => !(keepsChanged && isLoss(step)));
  const due = steps.filter(({ status }) => status !== "same");
  noteWarnings(after, output);
  if (due.length > 0) output.draw((brush) => preview(due, brush));
  const lost = due.filter(isLoss);
  const [overwritten, removed] = [lost.filter(isWritten), lost.filter((step) => !isWritten(step))];
  const parts = [
    ...riskyOf(after, due).map((ref) => `${ref} can act by itself, as said above. Write it?`),
    ...(overwritten.length > 0 ? [`Overwrite ${namesOf(overwritten)}?`] : []),
    ...(removed.length > 0 ? [`Remove ${namesOf(removed)}?`] : []),
  ];
  if (parts.length > 0) await confirm(parts.join(" "));
  // From here on a signal waits for the end.
  if (holdInterrupts().aborted) throw new Interrupted("Stopped. Nothing was changed.");
  await write(place, due, { before, after });
  return steps.map(changeOf);
}

/** Says each warning about a prompt once, with all tools that it is about. */
function noteWarnings(after: readonly Wanted[], output: Pick<Context["output"], "note">): void {
  const all = after.flatMap(({ ref, target, written }) =>
    (written?.warnings ?? []).map((warning) => ({ ref, target, warning })),
  );
  for (const [ref, own] of Map.groupBy(all, (one) => one.ref))
    for (const [warning, same] of Map.groupBy(own, (one) => one.warning))
      output.note(`${ref} for ${[...new Set(same.map(({ target }) => target))].join(", ")}: ${warning}`);
}

/** The prompts of which something is written that a tool would do without a question. */
function riskyOf(after: readonly Wanted[], due: readonly Step[]): string[] {
  const changed = new Set(due.map(({ path }) => path));
  const risky = after.filter(
    (one) => (one.written?.risks.length ?? 0) > 0 && [...pathsOf(one)].some((path) => changed.has(path)),
  );
  return [...new Set(risky.map(({ ref }) => ref))];
}

async function write({ root, record }: Place, steps: readonly Step[], change: Change): Promise<void> {
  const files = steps.flatMap(({ path, content }) => (content === null ? [] : [{ ...content, path }]));
  const there = steps.flatMap(({ seen }) => seen ?? []);
  const isRecorded =
    change.before.length === change.after.length && change.after.every(({ written }) => !written);
  if (isRecorded) return;
  await makeFolders(dirname(record)).catch((error: unknown) => {
    throw unwritable(dirname(record), error, "Nothing was changed.");
  });
  await updateFiles(root, files, there, (run) => changeRecord(record, run, (now) => applied(now, change)));
}

/** Undoes what killed commands left where prompts are installed, and says so. Before anything is read there. */
export async function recoverInstalls({ root, record }: Place, { note }: Context["output"]): Promise<void> {
  for (const text of await recoverRuns(root, record)) note(text);
}

/** Another command may have recorded something meanwhile: that stays. */
function applied(now: readonly Install[], { before, after }: Change): Install[] {
  const isIn = (installs: readonly Install[]) => (one: Install) =>
    installs.some((other) => isSameInstall(one, other));
  const written = after.filter(({ written }) => written);
  const gone = before.filter((one) => !isIn(after)(one));
  return [
    ...now.filter((one) => !isIn([...gone, ...written])(one)),
    ...written.map(({ written: _, ...install }) => install),
  ];
}

/** Whether two are installs of one prompt for one tool. */
export const isSameInstall = (a: Install, b: Install): boolean => a.id === b.id && a.target === b.target;

const isWritten = ({ content }: Step) => content !== null;

const namesOf = (steps: readonly Step[]) => {
  const names = steps
    .slice(0, 3)
    .map(({ path, section }) => (section ? `the section of ${section} in ${path}` : path))
    .join(", ");
  return steps.length > 3 ? `${names} and ${countOf(steps.length - 3, "other file")}` : names;
};

/** Of many files the first are shown, and all that would be lost, nearest to the question. */
function preview(steps: readonly Step[], brush: Style): string {
  const harmless = steps.filter((step) => !isLoss(step));
  const shown = [...harmless.slice(0, maxShown), ...steps.filter(isLoss)].map((step) => lineOf(step, brush));
  const left = harmless.length - maxShown;
  if (left > 0) shown.splice(maxShown, 0, brush.colors.dim(`  and ${countOf(left, "other file")}`));
  return shown.join("\n");
}
const maxShown = 30;

const whys = {
  new: "",
  same: "",
  old: "",
  changed: "was edited here",
  foreign: "was not installed by promptreg",
};

function lineOf(step: Step, { colors }: Style): string {
  const { path, status } = step;
  const [word, color] = !isWritten(step)
    ? (["remove", isLoss(step) ? colors.yellow : colors.dim] as const)
    : isLoss(step)
      ? (["overwrite", colors.yellow] as const)
      : status === "new"
        ? (["create", colors.green] as const)
        : (["update", colors.green] as const);
  return `  ${color(word.padEnd(9))}  ${cell(path)}${whys[status] && colors.dim(`  ${whys[status]}`)}`;
}

function changeOf(step: Step): FileChange {
  const { path, status } = step;
  if (status === "same") return { path, status: "unchanged" };
  if (!isWritten(step)) return { path, status: "removed" };
  return { path, status: isLoss(step) ? "overwritten" : status === "new" ? "created" : "updated" };
}
