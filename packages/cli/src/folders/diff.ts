import { existsSync } from "node:fs";
import { type MetadataChanges, printMetadataChanges } from "../prompts/index.ts";
import { parseRange, parseRef } from "@promptreg/core/refs";
import type { Diff } from "@promptreg/client";
import type { Context } from "../settings/context.ts";
import { eachConcurrently } from "../requests/concurrently.ts";
import { printDiff } from "../terminal/diff.ts";
import type { Output } from "../terminal/output.ts";
import { cell, countOf } from "../terminal/text.ts";
import { CheckError, InputError, UsageError } from "../errors.ts";
import { originOf } from "../settings/profiles.ts";
import { diffMetadata } from "./compare/metadata.ts";
import { findBase } from "./compare/base.ts";
import { compareWithLatest, type LocalDiff } from "./compare/latest.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import { accountOf } from "./compare/account.ts";
import { locate, readPrompts } from "./compare/locate.ts";
import { reportRefused } from "./push/report.ts";
import { gatherResults, refuseAll, type Results } from "./results.ts";

/** A folder also differs by what its manifest says. */
type FolderDiff = LocalDiff & { folder: string; about: MetadataChanges };

export async function diff(
  context: Context,
  given: string | undefined,
  range: readonly string[],
  { breaking = false, wordDiff = false }: { breaking?: boolean; wordDiff?: boolean },
): Promise<number> {
  const { output } = context;
  const [what] = placesOr(given === undefined ? [] : [given]) as [string];
  const areVersions = /^([a-z0-9-]+\/[a-z0-9-]+(@|$)|[a-z0-9-]+\.\.)/.test(what) && !existsSync(what);
  const isFolder = range.length === 0 && !areVersions;
  const { found, refusals } = isFolder
    ? await diffFolders(context, what)
    : { found: [await diffVersions(context, [what, ...range])], refusals: null };
  const print = (one: FolderDiff | Diff) => asText(one, { output, wordDiff });
  const refused = refusals?.soFar() ?? [];
  const count = found.length + refused.length;
  const [first] = found;
  if (count === 1 && first !== undefined) output.result(first, () => print(first));
  else
    output.result({ results: [...found, ...refused] }, () => {
      const differing = found.filter((one) => !isEqual(one));
      const shown = differing.map((one) => [output.colors.bold(cell(nameOf(one))), print(one)].join("\n"));
      const { length: equal } = found.filter(isEqual);
      if (equal > 0) shown.push(output.colors.dim(`${countOf(equal, "prompt")} unchanged`));
      return shown.join("\n\n");
    });
  reportRefused(refused, count, output);
  const broken = found.find(({ variables }) => variables.breaking);
  if (breaking && broken !== undefined)
    throw new CheckError(
      `Values that were valid for version ${broken.from.n} may be refused by ${nameOf(broken)}.`,
    );
  return refusals?.exitCode() ?? 0;
}

const isEqual = (one: FolderDiff | Diff): boolean =>
  one.files.length === 0 && !("about" in one && Object.keys(one.about).length > 0);

/** What a version was compared with. */
const nameOf = (found: FolderDiff | Diff): string =>
  "folder" in found ? found.folder : `version ${found.to?.n}`;

function asText(
  found: FolderDiff | Diff,
  { output, wordDiff }: { output: Output; wordDiff: boolean },
): string {
  const about = "about" in found ? printMetadataChanges(found.about, output) : "";
  if (found.files.length === 0)
    return about || output.colors.dim(`Version ${found.from.n} and ${nameOf(found)} are equal.`);
  return [printDiff(found, output, wordDiff ? { wordsFrom: 0 } : {}), ...(about ? [about] : [])].join("\n");
}

async function diffVersions({ connect }: Context, words: readonly string[]): Promise<Diff> {
  const input = versionsIn(words);
  const client = await connect();
  return client.prompts.diff(input);
}

/** Reads two versions of a prompt, however they are written: `a/b 1..2`, `a/b 1 2`, `a/b@1 a/b@2`, `a/b@1..2`. */
function versionsIn(words: readonly string[]): { owner: string; slug: string; range: string } {
  const names = words.flatMap((word) => word.split(".."));
  const read = names.map((name) => (name.includes("/") ? addressIn(name) : { name }));
  const [prompt] = read;
  const versions = read.flatMap(({ name }) => name ?? []);
  if (!prompt || !("owner" in prompt))
    throw new UsageError(`"${words[0]}" is not owner/slug. Write owner/slug and a range, or a folder alone.`);
  const { owner, slug } = prompt;
  if (read.some((one) => "owner" in one && (one.owner !== owner || one.slug !== slug)))
    throw new UsageError("Only versions of one prompt can be compared.");
  if (versions.length !== 2)
    throw new UsageError(
      `Write two versions of ${owner}/${slug}, such as \`promptreg diff ${owner}/${slug} 1..latest\`.`,
    );
  const range = versions.join("..");
  try {
    parseRange(range);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return { owner, slug, range };
}

function addressIn(word: string) {
  try {
    const { version, label, ...address } = parseRef(word);
    return { ...address, name: label ?? version?.toString() };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Compares all prompts of a tree with their latest versions. Those that have none are named. */
async function diffFolders(
  { connectForMany, destination, output }: Context,
  place: string,
): Promise<{ found: FolderDiff[]; refusals: Results<never> }> {
  const folders = await findFolders([place]);
  const refusals = gatherResults<never>(folders);
  const refuse = folders.length > 1 ? refusals.refuse : refuseAll;
  const prompts = await readPrompts(folders, { isThorough: true }, refuse);
  const { client } = await connectForMany();
  const { located, find } = await locate(client, prompts, accountOf(client), { refuse });
  const origin = originOf((await destination()).url);
  const diffs: FolderDiff[] = [];
  await eachConcurrently(located, async ({ local, address }, index) => {
    const { folder } = local;
    const remote = await find(address);
    const found = await compareWithLatest(client, local, remote);
    if (remote === null || found === null) {
      if (prompts.length > 1) output.note(`${folder} has no version in the registry.`);
      return;
    }
    const base = found.files.length > 0 ? await findBase(client, local, remote, { origin }) : null;
    if (base !== null && base.version < found.from.n) {
      output.note(
        `${folder} is based on version ${base.version}, and the registry has ${found.from.n}: changes made since look removed here.`,
      );
    }
    const { ours } = await diffMetadata(local, remote, origin);
    diffs[index] = { ...found, folder, about: ours };
  });
  const found = diffs.flat();
  if (found.length > 0 || refusals.exitCode() !== 0) return { found, refusals };
  throw new InputError(
    `The registry has no version of ${place} to compare with. \`promptreg push\` creates one.`,
  );
}
