import type { Client } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { eachBeside } from "../beside.ts";
import type { Context } from "../context.ts";
import { InputError, Interrupted, UsageError } from "../errors.ts";
import { cell, type Output } from "../output.ts";
import { originOf } from "../profiles.ts";
import { bringAbout } from "../push/about.ts";
import { manifestName } from "../push/manifest.ts";
import { type Planned, planFor } from "../pull/plan.ts";
import { readVersion } from "../pull/read-version.ts";
import { makeFolder, updateFolder } from "../pull/write-folder.ts";

interface Options {
  all?: boolean;
  into: string;
}

export async function pull(
  { connectPatiently, confirm, destination, holdInterrupts, output }: Context,
  given: readonly PromptAddress[] = [],
  { all = false, into }: Options,
): Promise<void> {
  if (all === given.length > 0)
    throw new UsageError("Say which prompts to pull, or --all for all of your own.");
  const { client, waiting } = await connectPatiently();
  const origin = originOf((await destination()).url);
  const addresses = all ? await ownPrompts(client) : given;
  let count = 0;
  const progress = output.progress(() => `${count} of ${addresses.length} prompts${waiting()}`);
  const planned: Planned[] = [];
  await eachBeside(addresses, async (address, index) => {
    planned[index] = await planFor(client, await readVersion(client, address), into);
    count += 1;
  });
  progress.end();
  refuseTwins(planned);
  const lost = planned.filter(({ status }) => status === "overwritten").map(({ folder }) => folder);
  if (lost.length > 0) {
    await confirm(`${lost.join(", ")}: what changed here is in no version and would be lost. Overwrite it?`);
  }
  const stop = holdInterrupts();
  const done: Planned[] = [];
  try {
    for (const one of planned) {
      if (stop.aborted) {
        throw new Interrupted(
          `Stopped: ${done.length} of ${planned.length} prompts were pulled, the others not begun.`,
        );
      }
      await write(one);
      await bring(one, origin, output);
      done.push(one);
    }
  } finally {
    tell(done, output);
  }
}

/** Writes nothing where nothing changed. */
async function write({ pulled, folder, local, status }: Planned): Promise<void> {
  if (local === null) await makeFolder(folder, pulled);
  else if (status !== "unchanged") await updateFolder(folder, pulled, local.checked);
}

/** Brings what the registry says beside the files into a manifest that is there already. */
async function bring({ pulled, folder, local }: Planned, origin: string, output: Output): Promise<void> {
  if (local === null) return;
  const { fields, kept } = await bringAbout(local, pulled.prompt, { origin });
  const name = `${folder}/${manifestName}`;
  if (fields.length > 0) output.note(`${name} has the registry's ${fields.join(", ")} now.`);
  if (kept.length > 0)
    output.note(`${name}: the ${kept.join(", ")} changed here and in the registry, and stays as it is here.`);
}

async function ownPrompts(client: Client): Promise<PromptAddress[]> {
  const addresses: PromptAddress[] = [];
  const query = { owner: "me", sort: "title" as const, limit: 100 };
  for await (const { owner, slug, latest } of client.prompts.list({ query }))
    if (latest !== null) addresses.push({ owner: owner.handle, slug });
  return addresses;
}

function refuseTwins(planned: readonly Planned[]): void {
  const folders = new Map<string, string>();
  for (const { folder, pulled } of planned) {
    const { ref } = pulled.prompt;
    const twin = folders.get(folder);
    if (twin !== undefined)
      throw new InputError(`${twin} and ${ref} would both go to ${folder}. Pull one elsewhere.`);
    folders.set(folder, ref);
  }
}

function tell(done: readonly Planned[], output: Output): void {
  const results = done.map(({ pulled: { prompt, version, leftOut }, folder, status }) => ({
    ref: prompt.ref,
    folder,
    status,
    versionNumber: version.n,
    contentHash: version.contentHash,
    leftOut,
  }));
  for (const { folder, leftOut } of results) {
    if (leftOut.length > 0)
      output.note(`${folder}: left out ${leftOut.join(", ")}, which a push would not take from here.`);
  }
  const { bold, dim, green } = output.colors;
  const did = {
    created: (folder: string) => green(`written to ${folder}`),
    updated: (folder: string) => green(`updated in ${folder}`),
    overwritten: (folder: string) => green(`written over ${folder}`),
    unchanged: (folder: string) => dim(`unchanged in ${folder}`),
  };
  output.result({ results }, () =>
    results
      .map(
        ({ ref, folder, status, versionNumber }) =>
          `${bold(cell(`${ref}@${versionNumber}`))} ${did[status](folder)}`,
      )
      .join("\n"),
  );
}
