import { eachBeside } from "../beside.ts";
import type { Context } from "../context.ts";
import { printDiff } from "../print-diff.ts";
import { Interrupted, UsageError } from "../errors.ts";
import { cell, type Output } from "../output.ts";
import { originOf } from "../profiles.ts";
import { changedSince } from "../push/changed-since.ts";
import { findFolders } from "../push/find-folders.ts";
import { accountOf, place, readPrompts } from "../push/local-prompts.ts";
import { planAsMarkdown } from "../push/plan.ts";
import { type Pushed, type PushOptions, pushPrompt } from "../push/push-prompt.ts";

interface Options extends PushOptions {
  markdown?: boolean;
  changedSince?: string;
}

export async function push(
  { connect, destination, output, holdInterrupts }: Context,
  places: readonly string[],
  { markdown = false, changedSince: revision, ...options }: Options,
): Promise<void> {
  const isDryRun = options.dryRun === true;
  if (markdown && !isDryRun) throw new UsageError("--markdown shows a plan: it goes with --dry-run.");
  const found = await findFolders(places);
  const folders = revision === undefined ? found : await changedSince(found, revision);
  const prompts = await readPrompts(folders, { isThorough: isDryRun });
  if (folders.length === 0) output.note("Nothing changed, so that there is nothing to push.");
  const client = await connect();
  const account = accountOf(client);
  const origin = originOf((await destination()).url);
  const results: Pushed[] = [];
  let done = 0;
  const progress = output.progress(() => `${done} of ${folders.length} prompts`);
  try {
    const { placed, find } = await place(client, prompts, account);
    const stop = holdInterrupts();
    await eachBeside(
      placed,
      async ({ local, address }, index) => {
        try {
          const remote = await find(address);
          results[index] = await pushPrompt({ client, account, origin, options }, local, { address, remote });
          done += 1;
        } catch (error) {
          if (folders.length > 1) output.note(`${local.folder} was not pushed.`);
          throw error;
        }
      },
      stop,
    );
    if (done < folders.length) {
      const each = isDryRun ? "looked at" : "pushed";
      throw new Interrupted(
        `Stopped: ${done} of ${folders.length} prompts were ${each}, the others not begun.`,
      );
    }
  } finally {
    progress.end();
    // Where one failed, the others are told of nevertheless: they are in the registry.
    tell(results.flat(), { isDryRun, markdown }, output);
  }
}

function tell(
  results: readonly Pushed[],
  { isDryRun, markdown }: { isDryRun: boolean; markdown: boolean },
  output: Output,
): void {
  for (const note of results.flatMap(notesOf)) output.note(note);
  if (output.isJson || markdown) {
    output.result({ isDryRun, results }, () => planAsMarkdown(results));
    return;
  }
  const isUneventful = ({ status, labels, labelsLeft }: Pushed) =>
    status === "unchanged" && labels.length === 0 && labelsLeft.length === 0;
  const uneventful = results.filter(isUneventful);
  const areFew = uneventful.length <= 5;
  for (const pushed of areFew ? results : results.filter((pushed) => !isUneventful(pushed)))
    output.result(pushed, () => asText(pushed, isDryRun, output));
  if (!areFew) output.result(null, () => output.colors.dim(`${uneventful.length} prompts unchanged`));
}

function asText(
  { ref, status, versionNumber, labels, labelsLeft, diff }: Pushed,
  isDryRun: boolean,
  output: Output,
): string {
  const { bold, dim, green, yellow } = output.colors;
  const version = versionNumber === null ? "the next version" : `version ${versionNumber}`;
  const done = {
    created: green(isDryRun ? "would be created" : "created"),
    committed: green(isDryRun ? `would become ${version}` : `is now at ${version}`),
    unchanged: dim(`unchanged at ${version}`),
  }[status];
  const moved =
    labels.length === 0 ? "" : `, ${isDryRun ? "and would be " : ""}labelled ${labels.join(", ")}`;
  const left =
    labelsLeft.length === 0
      ? ""
      : yellow(`; ${labelsLeft.join(", ")} was moved away from it and stays where it is`);
  const patch = diff ? `\n${printDiff(diff, output)}` : "";
  return `${bold(cell(ref))} ${done}${moved}${left}${patch}`;
}

function notesOf({ folder, warnings, differing }: Pushed): string[] {
  const notes = warnings.map(({ message }) => `${folder}: ${message}`);
  if (differing.length === 0) return notes;
  return [
    ...notes,
    `${folder}: the registry has another ${differing.join(", ")}. A push changes files only.`,
  ];
}
