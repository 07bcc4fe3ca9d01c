import type { RefusedPrompt } from "@promptreg/core/imports";
import { relative } from "node:path";
import { makeFolder } from "./local/make-folder.ts";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { InputError } from "../errors.ts";
import { countOf } from "../terminal/text.ts";
import { findPrompts } from "./import/find.ts";
import { openFolder } from "./import/folder-source.ts";
import { importedInto, manifestFor, type PlannedImport, planImport } from "./import/plan.ts";
import { planTable, sayWhatElse, sumOf } from "./import/report.ts";
import { ownerOf } from "./local/owner.ts";
import { createSelection } from "./local/selection.ts";

interface Options {
  into: string;
  dryRun?: boolean;
  allowSecrets?: boolean;
}

export async function importPrompts(
  context: Context,
  place: string,
  { into, dryRun: isDryRun = false, allowSecrets = false }: Options,
): Promise<void> {
  const { output, confirm } = context;
  const source = await openFolder(place, createSelection([place], output.note));
  let count = 0;
  const progress = output.progress(
    () => `${countOf(count, "prompt")} found in ${countOf(source.files.length, "file")}`,
  );
  const { prompts, refused } = await findPrompts(source, {
    name: relative(into, source.root),
    onFound: (found) => void (count = found),
  }).finally(progress.end);
  const imported = await importedInto(into);
  const planned: PlannedImport[] = [];
  for (const prompt of prompts) {
    try {
      const given = allowSecrets ? { ...prompt, secrets: [] } : prompt;
      planned.push(await planImport(source, given, { into, imported }));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      refused.push(refusalOf(prompt, error.message));
    }
  }
  sayWhatElse(planned, refused, output);
  if (planned.length === 0) throw nothingIn(place, refused);
  const written = planned.filter(({ status }) => status === "new");
  if (!isDryRun && written.length > 0) {
    if (!output.isJson) output.draw(() => planTable(planned, output));
    await confirm(`Write ${countOf(written.length, "prompt")} into ${into}?`);
    const owner = await ownerOf(context);
    await eachConcurrently(written, (one) => makeFolder(one.folder, one.files, manifestFor(one, owner)));
  }
  output.result(asJson(planned, refused, isDryRun), () =>
    isDryRun || written.length === 0 ? planTable(planned, output) : `Next: promptreg push ${into}`,
  );
  if (!output.isJson) output.note(`${sumOf(planned, isDryRun)}.`);
}

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
      : `${place} has no prompts that are recognised. See which are: promptreg import --help`,
  );
}

const asJson = (planned: readonly PlannedImport[], refused: readonly RefusedPrompt[], isDryRun: boolean) => ({
  isDryRun,
  prompts: planned.map(({ prompt: { files: _, taken: __, ...prompt }, folder, status, files }) => ({
    folder,
    status,
    ...prompt,
    files: files.map(({ path }) => path),
  })),
  refused,
});
