import { cell, countOf } from "../terminal/text.ts";
import { metadataOf } from "../prompts/index.ts";
import type { Client } from "../requests/client.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { promptsOf } from "../collections/index.ts";
import type { PromptSource } from "../grammar/arguments.ts";
import { recoverRuns } from "../disk/recover.ts";
import { updateFiles } from "../disk/update-files.ts";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { InputError, Interrupted, UsageError } from "../errors.ts";
import type { Output } from "../terminal/output.ts";
import { originOf } from "../settings/profiles.ts";
import { refuseConflicts } from "./pull/merge-files.ts";
import { heldBelow, type Planned, planFor, readingOf } from "./pull/plan.ts";
import { readVersion } from "./compare/read-version.ts";
import { makeFolder } from "./local/make-folder.ts";
import { manifestOf } from "./pull/pulled-manifest.ts";
import { reportRefused } from "./push/report.ts";
import { gatherResults, type Refused, refuseAll } from "./results.ts";
import { pullMetadata } from "./compare/metadata.ts";
import { manifestName } from "./local/manifest.ts";
import { filesLost, readPrompt } from "./local/read-prompt.ts";
import { stateOf, versionsBefore, writeState } from "./local/state.ts";

interface Options {
  all?: boolean;
  into: string;
  overwrite?: boolean;
}

export async function pull(
  { connectForMany, confirm, destination, holdInterrupts, output }: Context,
  given: readonly PromptSource[] = [],
  { all = false, into, overwrite = false }: Options,
): Promise<number> {
  if (all === given.length > 0) throw new UsageError("Name prompts to pull, or use --all for all your own.");
  const { client, waiting } = await connectForMany();
  const stop = holdInterrupts();
  const origin = originOf((await destination()).url);
  const recover = async (folder: string) => {
    for (const text of await recoverRuns(folder)) output.note(text);
  };
  await recover(into);
  const options = { into, overwrite, origin, held: await heldBelow(into, origin) };
  const addresses = all
    ? await ownPrompts(client)
    : await promptsOf({ client: async () => client, output }, given);
  const refs = addresses.map(({ owner, slug }) => `${owner}/${slug}`);
  const refusals = gatherResults<never>(refs);
  const refuse = addresses.length > 1 ? refusals.refuse : refuseAll;
  let count = 0;
  const progress = output.progress(() => `${count} of ${addresses.length} prompts${waiting()}`);
  const plans: Planned[] = [];
  await eachConcurrently(
    addresses,
    async (address, index) => {
      try {
        plans[index] = await planFor(client, await readVersion(client, address), { ...options, recover });
      } catch (error) {
        refuse(refs[index]!, error, refs[index]);
      }
      count += 1;
    },
    stop,
  ).finally(progress.end);
  if (stop.aborted) throw new Interrupted("Stopped. Nothing was pulled.");
  const planned = plans.flat();
  refuseDuplicates(planned);
  const lost = planned.filter(({ status }) => status === "overwritten");
  const deleted = lost.flatMap(({ local, files }) => (local === null ? [] : filesLost(local, files)));
  if (deleted.length > 0)
    output.note(`The registry does not have these files. They are deleted: ${deleted.join(", ")}.`);
  if (lost.length > 0 && !overwrite) {
    const folders = lost.map(({ folder }) => folder).join(", ");
    await confirm(
      `${folders}: it is unknown which version this was changed from, so it cannot be merged. Overwrite it?`,
    );
  }
  const done: Planned[] = [];
  try {
    for (const one of planned) {
      if (stop.aborted) {
        throw new Interrupted(`Stopped: ${done.length} of ${planned.length} prompts were pulled.`);
      }
      await write(one);
      await updateManifest(one, options, output);
      await writeNewState(one, options.origin, output);
      done.push(one);
    }
  } finally {
    // Where one failed, the others are told of nevertheless: they are on the disk.
    if (done.length > 0 || output.isJson) reportPull(done, refusals.soFar(), output);
    reportRefused(refusals.soFar(), addresses.length, output);
  }
  refuseConflicts(done, "Edit the files and push, or take the registry's files with `pull --overwrite`.");
  return refusals.exitCode();
}

/** Writes nothing where nothing changed. */
export async function write({ pulled, folder, local, files, status }: Planned): Promise<void> {
  if (local === null) return makeFolder(folder, pulled.files, manifestOf(pulled));
  if (status === "unchanged" || status === "kept") return;
  // While prompts were fetched, or a question was answered, somebody may have gone on writing.
  if ((await readPrompt(folder, readingOf(pulled))).contentHash !== local.contentHash)
    throw new InputError(`${folder} changed during the pull. Nothing was written there. Pull it again.`);
  await updateFiles(folder, files, local.checked);
}

/** Brings what the registry says beside the files into a manifest that already exists. */
async function updateManifest(
  { pulled, folder, local }: Planned,
  options: { origin: string; overwrite: boolean },
  output: Output,
): Promise<void> {
  if (local === null) return;
  const { fields, kept } = await pullMetadata(local, pulled.prompt, options);
  const name = `${folder}/${manifestName}`;
  if (fields.length > 0) output.note(`${name} now has the registry's ${fields.join(", ")}.`);
  if (kept.length > 0)
    output.note(`${name}: the ${kept.join(", ")} changed here and in the registry. The local value stays.`);
}

async function writeNewState(
  { pulled, folder, local, base }: Planned,
  origin: string,
  output: Output,
): Promise<void> {
  const { id, ref, latestVersion } = pulled.prompt;
  const { n: version } = pulled.version;
  const place = local ?? { folder, isStateTrusted: true };
  const last = await stateOf(place, origin, { id });
  const begin = base ?? last?.version ?? version;
  const from = versionsBefore(last?.from, begin, version);
  await writeState(place, origin, {
    id,
    ref,
    version,
    ...(version < (latestVersion ?? 0) && { isOld: true }),
    about: metadataOf(pulled.prompt),
    ...(from.length > 0 && { from }),
    ...(last?.source && { source: last.source }),
  }).catch((error: Error) => output.note(error.message));
}

async function ownPrompts(client: Client): Promise<PromptAddress[]> {
  const addresses: PromptAddress[] = [];
  const query = { owner: "me", sort: "title" as const, limit: 100 };
  for await (const { owner, slug, latest } of client.prompts.list({ query }))
    if (latest !== null) addresses.push({ owner: owner.handle, slug });
  return addresses;
}

function refuseDuplicates(planned: readonly Planned[]): void {
  const folders = new Map<string, string>();
  for (const { folder, pulled } of planned) {
    const { ref } = pulled.prompt;
    const twin = folders.get(folder);
    if (twin !== undefined)
      throw new InputError(`${twin} and ${ref} would both go to ${folder}. Pull one into another folder.`);
    folders.set(folder, ref);
  }
}

export function reportPull(done: readonly Planned[], refused: readonly Refused[], output: Output): void {
  const results = done.map(({ pulled: { prompt, version, leftOut }, folder, status, conflicts }) => ({
    ref: prompt.ref,
    folder,
    status,
    versionNumber: version.n,
    contentHash: version.contentHash,
    leftOut,
    conflicts,
  }));
  for (const { folder, leftOut } of results) {
    if (leftOut.length > 0)
      output.note(`${folder}: not written: ${leftOut.join(", ")}. A push would not send them.`);
  }
  const { bold, dim, green, yellow } = output.colors;
  const did = {
    created: (folder: string) => green(`written to ${folder}`),
    updated: (folder: string) => green(`updated in ${folder}`),
    merged: (folder: string) => green(`merged into ${folder}`),
    overwritten: (folder: string) => green(`written over ${folder}`),
    kept: (folder: string) => dim(`is already the base of ${folder}`),
    unchanged: (folder: string) => dim(`unchanged in ${folder}`),
  };
  output.result({ results: [...results, ...refused] }, () =>
    results
      .map(
        ({ ref, folder, status, versionNumber, conflicts }) =>
          `${bold(cell(`${ref}@${versionNumber}`))} ${did[status](folder)}${
            conflicts.length > 0 ? yellow(`, with ${countOf(conflicts.length, "conflict")}`) : ""
          }`,
      )
      .join("\n"),
  );
}
