import type { NamedKind, RefusedPrompt } from "@promptreg/core/imports";
import { makeFolder } from "./local/make-folder.ts";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { recoverRuns } from "../disk/recover.ts";
import { InputError, Interrupted } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { countOf } from "../terminal/text.ts";
import { findCopies } from "./import/copies.ts";
import { findPrompts } from "./import/find.ts";
import { importedInto, manifestFor, type PlannedImport, planImport } from "./import/plan.ts";
import { planTable, sayLicenses, sayWhatElse, sumOf } from "./import/report.ts";
import { type NamedSource, withSource } from "./import/with-source.ts";
import { ownerOf } from "./local/owner.ts";

interface Options {
  into: string;
  dryRun?: boolean;
  allowSecrets?: boolean;
  only?: string[];
  kind?: NamedKind;
}

/** Ends with the exit code of refused input if something was left out that is a prompt, or could be one. */
export const importPrompts = (context: Context, place: string, options: Options): Promise<number> =>
  withSource(context, place, options.into, (source) => importFrom(context, { place, source }, options));

async function importFrom(
  context: Context,
  { place, source }: { place: string; source: NamedSource },
  { into, dryRun: isDryRun = false, allowSecrets = false, only = [], kind }: Options,
): Promise<number> {
  const { output, choose } = context;
  for (const { path, reason } of source.leftOut?.slice(0, mostLeftOut) ?? [])
    output.note(`${path} was left out: ${reason}`);
  let count = 0;
  const progress = output.progress(
    () => `${countOf(count, "prompt")} found in ${countOf(source.files.length, "file")}`,
  );
  const { prompts: found, refused } = await findPrompts(source, {
    fromOf: source.fromOf,
    kind,
    onFound: (n) => void (count = n),
  }).finally(progress.end);
  const prompts =
    only.length === 0 ? found : found.filter((prompt) => only.some((text) => isNamed(prompt, text)));
  if (prompts.length === 0 && found.length > 0)
    throw new InputError(
      `None of the ${countOf(found.length, "prompt")} in ${place} is named so: ${only.join(", ")}.`,
    );
  // What commands left that were killed while they wrote.
  if (!isDryRun) for (const text of new Set(await recoverRuns(into))) output.note(text);
  const imported = await importedInto(into);
  const { copies, alike } = await findCopies(source, prompts, ({ from }) => imported.folders.has(from));
  let planned: PlannedImport[] = [];
  for (const prompt of prompts) {
    try {
      const copyOf = copies.get(prompt)?.from;
      const one = await planImport(source, prompt, { into, imported, copyOf, allowSecrets });
      planned.push({ ...one, alike: alike.get(prompt) });
    } catch (error) {
      // The second is of a file in an archive that cannot be unpacked.
      if (!(error instanceof InputError) && (error as Error).name !== "ImportError") throw error;
      refused.push(refusalOf(prompt, (error as Error).message));
    }
  }
  sayWhatElse(planned, refused, output);
  if (planned.length === 0) throw nothingIn(place, refused);
  const fresh = planned.filter(({ status }) => status === "new");
  sayLicenses(
    fresh.map(({ prompt }) => prompt),
    output,
  );
  let written: readonly PlannedImport[] = [];
  if (!isDryRun && fresh.length > 0) {
    if (!output.isJson) output.draw(() => planTable(planned, output));
    written = await choose(
      `Write ${countOf(fresh.length, "prompt")} into ${into}?`,
      fresh,
      ({ prompt, folder }) => ({
        label: folder,
        hint: `${prompt.format}, ${prompt.from}`,
      }),
    );
    planned = planned.filter((one) => one.status !== "new" || written.includes(one));
    const owner = await ownerOf(context);
    await writeAll(context, written, owner);
  }
  output.result(asJson(planned, refused, isDryRun), () =>
    isDryRun || written.length === 0 ? planTable(planned, output) : `Next: promptreg push ${into}`,
  );
  if (!output.isJson) output.note(`${sumOf(planned, refused, isDryRun)}.`);
  const isComplete = refused.length === 0 && planned.every(({ status }) => status !== "secret");
  return exitCodes[isComplete ? "ok" : "refusedInput"][0];
}

/** @throws {Interrupted} after Ctrl-C, with how far it came. */
async function writeAll(
  { holdInterrupts }: Context,
  planned: readonly PlannedImport[],
  owner: string | undefined,
): Promise<void> {
  const signal = holdInterrupts();
  let count = 0;
  await eachConcurrently(
    planned,
    async (one) => {
      await makeFolder(one.folder, one.files, manifestFor(one, owner));
      count += 1;
    },
    signal,
  );
  if (count < planned.length)
    throw new Interrupted(
      `${count} of ${countOf(planned.length, "prompt")} were written. Run it again for the rest.`,
    );
}

/** So many entries of an archive are named that are not there. */
const mostLeftOut = 10;

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
    ({ prompt: { files: _, taken: __, ...prompt }, folder, status, copyOf, alike, files }) => ({
      folder,
      status,
      ...(copyOf !== undefined && { copyOf }),
      ...(alike !== undefined && { alike: alike.from }),
      ...prompt,
      files: files.map(({ path }) => path),
    }),
  ),
  refused,
});
