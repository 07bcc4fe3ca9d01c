import { apiError } from "@promptreg/core/errors";
import type { NamedKind, RefusedPrompt } from "@promptreg/core/imports";
import { dirname, join } from "node:path";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { recoverRuns } from "../disk/recover.ts";
import { InputError, Interrupted, UsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { countOf, quoted } from "../terminal/text.ts";
import { findCopies } from "./import/copies.ts";
import { findPrompts } from "./import/find.ts";
import { importedInto, isWritten, type PlannedImport, planImport, writeImport } from "./import/plan.ts";
import { planTable, sayGone, sayLeftOut, sayLicenses, sayWhatElse, sumOf } from "./import/report.ts";
import { type NamedSource, withSource } from "./import/with-source.ts";
import { ownerOf } from "./local/owner.ts";

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
  {
    into,
    dryRun: isDryRun = false,
    allowSecrets = false,
    update = false,
    overwrite = false,
    only = [],
    kind,
  }: Options,
): Promise<number> {
  if (overwrite && !update) throw new UsageError("--overwrite says how to update. Add --update.");
  const { output, choose } = context;
  sayLeftOut(source, output);
  let count = 0;
  const progress = output.progress(
    () => `${countOf(count, "prompt")} found in ${countOf(source.files.length, "file")}`,
  );
  const { prompts: found, refused } = await findPrompts(source, {
    fromOf: source.fromOf,
    kind,
    onFound: (n) => void (count = n),
  }).finally(progress.end);
  // What commands left that were killed while they wrote.
  if (!isDryRun) for (const text of new Set(await recoverRuns(into))) output.note(text);
  const imported = await importedInto(into);
  if (!isDryRun && update)
    for (const folder of imported.folders.values())
      for (const text of await recoverRuns(folder)) output.note(text);
  // What earlier imports wrote into a folder of the source is no source.
  const isOwn = ({ sourcePath }: PlannedImport["prompt"]) =>
    source.root !== "" && imported.isOwn(join(source.root, dirname(sourcePath)));
  const foreign = found.filter((prompt) => !isOwn(prompt));
  const prompts =
    only.length === 0 ? foreign : foreign.filter((prompt) => only.some((text) => isNamed(prompt, text)));
  if (prompts.length === 0 && foreign.length > 0)
    throw new InputError(
      `None of the ${countOf(foreign.length, "prompt")} in ${place} is named so: ${only.join(", ")}.`,
    );
  const { copies, alike } = await findCopies(source, prompts, ({ from }) => imported.folders.has(from));
  let planned: PlannedImport[] = [];
  for (const prompt of prompts) {
    try {
      const copyOf = copies.get(prompt)?.from;
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
  sayWhatElse(planned, refused, output);
  sayGone(source, imported, output);
  if (planned.length === 0) throw nothingIn(place, refused);
  const fresh = planned.filter(({ status }) => status === "new");
  sayLicenses(
    fresh.map(({ prompt }) => prompt),
    output,
  );
  let written: readonly PlannedImport[] = [];
  const writable = planned.filter(isWritten);
  if (!isDryRun && writable.length > 0) {
    if (!output.isJson) output.draw(() => planTable(planned, output));
    written = await choose(
      `Write ${countOf(writable.length, "prompt")} into ${into}?`,
      writable,
      ({ prompt, folder }) => ({
        label: folder,
        hint: `${prompt.format}, ${prompt.from}`,
      }),
    );
    planned = planned.filter((one) => !isWritten(one) || written.includes(one));
    const owner = await ownerOf(context);
    const failed = await writeAll(context, written, owner);
    for (const [one, reason] of failed) {
      output.note(`${one.folder}: ${reason}`);
      refused.push(refusalOf(one.prompt, reason));
    }
    planned = planned.filter((one) => !failed.has(one));
  }
  output.result(asJson(planned, refused, isDryRun), () =>
    isDryRun || written.length === 0 ? planTable(planned, output) : `Next: promptreg push ${quoted(into)}`,
  );
  if (!output.isJson) output.note(`${sumOf(planned, refused, isDryRun)}.`);
  if (!isDryRun) refuseConflicts(planned);
  const isComplete = refused.length === 0 && planned.every(({ status }) => status !== "secret");
  return exitCodes[isComplete ? "ok" : "refusedInput"][0];
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

/** Both sides are there, and somebody has to choose: that is no success. */
function refuseConflicts(planned: readonly PlannedImport[]): void {
  const details = planned.flatMap(({ folder, again }) =>
    (again?.conflicts ?? []).map(({ path, reason }) => ({
      path: join(folder, path),
      code: "version_conflict",
      message: reason,
    })),
  );
  if (details.length > 0)
    throw apiError("version_conflict", {
      message:
        "The same lines changed here and in the source. Edit the files, or take the source's with --overwrite.",
      details,
    });
}

/** Whether its name, its title or where it was found holds a text. */
const isNamed = ({ slug, title, from }: PlannedImport["prompt"], text: string): boolean =>
  [slug, title, from].some((name) => name.toLowerCase().includes(text.toLowerCase()));

const refusalOf = ({ sourcePath, part, format }: PlannedImport["prompt"], reason: string): RefusedPrompt => ({
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
