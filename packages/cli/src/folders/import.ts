import type { NamedKind, RefusedPrompt } from "@promptreg/core/imports";
import { dirname, join } from "node:path";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { recoverRuns } from "../disk/recover.ts";
import { InputError, Interrupted, UsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { countOf, quoted } from "../terminal/text.ts";
import { findCopies } from "./import/copies.ts";
import { type FoundPrompt, findPrompts } from "./import/find.ts";
import {
  type Imported,
  importedInto,
  isWritten,
  type PlannedImport,
  planImport,
  writeImport,
} from "./import/plan.ts";
import { planTable, sayGone, sayLeftOut, sayLicenses, sayWhatElse, sumOf } from "./import/report.ts";
import { type NamedSource, withSource } from "./import/with-source.ts";
import { ownerOf } from "./local/owner.ts";
import { refuseConflicts } from "./pull/merge-files.ts";

interface Options {
  into: string;
  dryRun?: boolean;
  allowSecrets?: boolean;
  update?: boolean;
  overwrite?: boolean;
  only?: string[];
  kind?: NamedKind;
}

/** Ends with the exit code of refused input if something was left out that is a prompt, or could be one. */
export const importPrompts = (context: Context, place: string, options: Options): Promise<number> =>
  withSource(context, place, options.into, (source) => importFrom(context, { place, source }, options));

async function importFrom(
  context: Context,
  { place, source }: { place: string; source: NamedSource },
  options: Options,
): Promise<number> {
  const { into, dryRun: isDryRun = false } = options;
  if (options.overwrite && !options.update)
    throw new UsageError("--overwrite says how to update. Add --update.");
  const { output } = context;
  sayLeftOut(source, output);
  const { prompts: found, refused } = await find(context, source, options);
  const imported = await recoverAndRead(context, options);
  const prompts = choosable(found, { source, imported, place, only: options.only ?? [] });
  const plans = await planAll(source, prompts, { options, imported, refused });
  sayWhatElse(plans, refused, output);
  sayGone(source, imported, output);
  if (plans.length === 0) throw nothingIn(place, refused);
  sayLicenses(
    plans.filter(({ status }) => status === "new").map(({ prompt }) => prompt),
    output,
  );
  const written = isDryRun ? [] : await chooseAndWrite(context, plans, { into, refused });
  const planned = isDryRun ? plans : plans.filter((one) => !isWritten(one) || written.includes(one));
  output.result(asJson(planned, refused, isDryRun), () =>
    written.length === 0 ? planTable(planned, output) : `Next: promptreg push ${quoted(into)}`,
  );
  if (!output.isJson) output.note(`${sumOf(planned, refused, isDryRun)}.`);
  const merged = planned.map(({ folder, again }) => ({ folder, conflicts: again?.conflicts ?? [] }));
  if (!isDryRun) refuseConflicts(merged, "Edit the files, or take the source's with --overwrite.");
  const isComplete = refused.length === 0 && planned.every(({ status }) => status !== "secret");
  return exitCodes[isComplete ? "ok" : "refusedInput"][0];
}

async function find({ output }: Context, source: NamedSource, { kind }: Options) {
  let count = 0;
  const progress = output.progress(
    () => `${countOf(count, "prompt")} found in ${countOf(source.files.length, "file")}`,
  );
  const onFound = (n: number) => void (count = n);
  return findPrompts(source, { fromOf: source.fromOf, kind, onFound }).finally(progress.end);
}

/** Looks for what earlier imports wrote, after what commands left that were killed while they wrote. */
async function recoverAndRead({ output }: Context, { into, dryRun, update }: Options): Promise<Imported> {
  const recover = async (folder: string) => {
    for (const text of new Set(await recoverRuns(folder))) output.note(text);
  };
  if (!dryRun) await recover(into);
  const imported = await importedInto(into);
  if (!dryRun && update) for (const folder of imported.folders.values()) await recover(folder);
  return imported;
}

/** The prompts that are asked for. What earlier imports wrote into a folder of the source is no source. */
function choosable(
  found: readonly FoundPrompt[],
  {
    source,
    imported,
    place,
    only,
  }: { source: NamedSource; imported: Imported; place: string; only: string[] },
): FoundPrompt[] {
  const isOwn = ({ sourcePath }: FoundPrompt) =>
    source.root !== "" && imported.isOwn(join(source.root, dirname(sourcePath)));
  const foreign = found.filter((prompt) => !isOwn(prompt));
  if (only.length === 0) return foreign;
  const prompts = foreign.filter((prompt) => only.some((text) => isNamed(prompt, text)));
  if (prompts.length === 0 && foreign.length > 0)
    throw new InputError(
      `None of the ${countOf(foreign.length, "prompt")} in ${place} is named so: ${only.join(", ")}.`,
    );
  return prompts;
}

/** Says what would become of each. Those that the registry would not take go to `refused`. */
async function planAll(
  source: NamedSource,
  prompts: readonly FoundPrompt[],
  { options, imported, refused }: { options: Options; imported: Imported; refused: RefusedPrompt[] },
): Promise<PlannedImport[]> {
  const { into, allowSecrets = false, update = false, overwrite = false } = options;
  const { copies, alike } = await findCopies(source, prompts, ({ from }) => imported.folders.has(from));
  const planned: PlannedImport[] = [];
  for (const prompt of prompts) {
    const copyOf = copies.get(prompt)?.from;
    try {
      const one = await planImport(source, prompt, {
        into,
        imported,
        copyOf,
        allowSecrets,
        update,
        overwrite,
      });
      planned.push({ ...one, alike: alike.get(prompt) });
    } catch (error) {
      // The second is of a file in an archive that cannot be unpacked.
      if (!(error instanceof InputError) && (error as Error).name !== "ImportError") throw error;
      refused.push(refusalOf(prompt, (error as Error).message));
    }
  }
  return planned;
}

/** Gives those that were chosen and written. What cannot be written is named, and goes to `refused`. */
async function chooseAndWrite(
  context: Context,
  planned: readonly PlannedImport[],
  { into, refused }: { into: string; refused: RefusedPrompt[] },
): Promise<PlannedImport[]> {
  const { output, choose } = context;
  const writable = planned.filter(isWritten);
  if (writable.length === 0) return [];
  if (!output.isJson) output.draw(() => planTable(planned, output));
  const chosen = await choose(
    `Write ${countOf(writable.length, "prompt")} into ${into}?`,
    writable,
    ({ prompt, folder }) => ({ label: folder, hint: `${prompt.format}, ${prompt.from}` }),
  );
  const failed = await writeAll(context, chosen, await ownerOf(context));
  const failures = Array.from(failed, ([{ prompt }, reason]) => refusalOf(prompt, reason));
  sayWhatElse([], failures, output);
  refused.push(...failures);
  return chosen.filter((one) => !failed.has(one));
}

/** Gives those that cannot be written, and why. @throws {Interrupted} after Ctrl-C, with how far it came. */
async function writeAll(
  { holdInterrupts }: Context,
  planned: readonly PlannedImport[],
  owner: string | undefined,
): Promise<Map<PlannedImport, string>> {
  const signal = holdInterrupts();
  const failed = new Map<PlannedImport, string>();
  let count = 0;
  await eachConcurrently(
    planned,
    async (one) => {
      await writeImport(one, owner).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
        failed.set(one, error.message);
      });
      count += 1;
    },
    signal,
  );
  if (count < planned.length)
    throw new Interrupted(
      `${count} of ${countOf(planned.length, "prompt")} were written. Run it again for the rest.`,
    );
  return failed;
}

/** Whether its name, its title or where it was found holds a text. */
const isNamed = ({ slug, title, from }: FoundPrompt, text: string): boolean =>
  [slug, title, from].some((name) => name.toLowerCase().includes(text.toLowerCase()));

const refusalOf = ({ sourcePath, part, format }: FoundPrompt, reason: string): RefusedPrompt => ({
  sourcePath,
  part,
  format,
  reason,
});

function nothingIn(place: string, refused: readonly RefusedPrompt[]): InputError {
  return new InputError(
    refused.length > 0
      ? `Nothing in ${place} can be imported.`
      : `${place} has no prompts that are recognised. See which are: promptreg import --help. To take its Markdown and text files as commands: --kind command; also agent, rule or text.`,
  );
}

const asJson = (planned: readonly PlannedImport[], refused: readonly RefusedPrompt[], isDryRun: boolean) => ({
  isDryRun,
  prompts: planned.map(
    ({ prompt: { files: _, taken: __, ...prompt }, folder, status, copyOf, alike, again, files }) => ({
      folder,
      status,
      ...(copyOf !== undefined && { copyOf }),
      ...(alike !== undefined && { alike: alike.from }),
      ...(again !== undefined && { conflicts: again.conflicts }),
      ...prompt,
      files: files.map(({ path }) => path),
    }),
  ),
  refused,
});
