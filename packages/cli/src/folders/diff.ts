import { existsSync } from "node:fs";
import { type MetadataChanges, printMetadataChanges } from "../prompts/index.ts";
import { parseRange, parseRef } from "@promptreg/core/refs";
import type { Diff } from "@promptreg/client";
import type { Context } from "../settings/context.ts";
import { printDiff } from "../terminal/diff.ts";
import { CheckError, InputError, UsageError } from "../errors.ts";
import { originOf } from "../settings/profiles.ts";
import { diffMetadata } from "./compare/metadata.ts";
import { findBase } from "./compare/base.ts";
import { compareWithLatest, type LocalDiff } from "./compare/latest.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import { accountOf } from "./compare/account.ts";
import { locate, readPrompts } from "./compare/locate.ts";

/** A folder also differs by what its manifest says. */
type FolderDiff = LocalDiff & { about?: MetadataChanges };

export async function diff(
  context: Context,
  given: string | undefined,
  range: readonly string[],
  { breaking = false, wordDiff = false }: { breaking?: boolean; wordDiff?: boolean },
): Promise<void> {
  const { output } = context;
  const [what] = placesOr(given === undefined ? [] : [given]) as [string];
  const areVersions = /^([a-z0-9-]+\/[a-z0-9-]+(@|$)|[a-z0-9-]+\.\.)/.test(what) && !existsSync(what);
  const isFolder = range.length === 0 && !areVersions;
  const found: FolderDiff & Partial<Diff> = isFolder
    ? await diffFolder(context, what)
    : await diffVersions(context, [what, ...range]);
  const to = found.to ? `version ${found.to.n}` : what;
  const about = printMetadataChanges(found.about ?? {}, output);
  output.result(found, () =>
    found.files.length === 0
      ? about || output.colors.dim(`Version ${found.from.n} and ${to} are equal.`)
      : [printDiff(found, output, wordDiff ? { wordsFrom: 0 } : {}), ...(about ? [about] : [])].join("\n"),
  );
  if (breaking && found.variables.breaking) {
    throw new CheckError(`Values that were valid for version ${found.from.n} may be refused by ${to}.`);
  }
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

async function diffFolder(
  { connectForMany, destination, output }: Context,
  folder: string,
): Promise<FolderDiff> {
  const prompts = await readPrompts(await findFolders([folder]), { isThorough: true });
  if (prompts.length > 1)
    throw new UsageError(
      `${folder} holds ${prompts.length} prompts. Use \`promptreg status\` to compare several.`,
    );
  const { client } = await connectForMany();
  const { located, find } = await locate(client, prompts, accountOf(client));
  for (const { local, address } of located) {
    const remote = await find(address);
    const found = await compareWithLatest(client, local, remote);
    if (remote === null || found === null) continue;
    const origin = originOf((await destination()).url);
    const base = found.files.length > 0 ? await findBase(client, local, remote, { origin }) : null;
    if (base !== null && base.version < found.from.n) {
      output.note(
        `${folder} is based on version ${base.version}, and the registry has ${found.from.n}: changes made since look removed here.`,
      );
    }
    const { ours } = await diffMetadata(local, remote, origin);
    return { ...found, about: ours };
  }
  throw new InputError(
    `The registry has no version of ${folder} to compare with. \`promptreg push\` creates one.`,
  );
}
