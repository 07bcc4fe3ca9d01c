import { existsSync } from "node:fs";
import { type MetadataChanges, printMetadataChanges } from "../prompts/index.ts";
import { parseRef } from "@promptreg/core/refs";
import type { Diff } from "@promptreg/client";
import type { Context } from "../settings/context.ts";
import { printDiff } from "../terminal/diff.ts";
import { CheckError, InputError, UsageError } from "../errors.ts";
import { originOf } from "../settings/profiles.ts";
import { diffMetadata } from "./compare/metadata.ts";
import { findBase } from "./compare/base.ts";
import { compareWithLatest, type LocalDiff } from "./compare/latest.ts";
import { findFolders } from "./local/find-folders.ts";
import { accountOf } from "./compare/account.ts";
import { locate, readPrompts } from "./compare/locate.ts";

/** A folder also differs by what its manifest says. */
type FolderDiff = LocalDiff & { about?: MetadataChanges };

export async function diff(
  context: Context,
  what: string,
  range: string | undefined,
  { breaking = false }: { breaking?: boolean },
): Promise<void> {
  const { output } = context;
  const found: FolderDiff & Partial<Diff> =
    range === undefined ? await diffFolder(context, what) : await diffVersions(context, what, range);
  const to = found.to ? `version ${found.to.n}` : what;
  const about = printMetadataChanges(found.about ?? {}, output);
  output.result(found, () =>
    found.files.length === 0
      ? about || output.colors.dim(`Version ${found.from.n} and ${to} are equal.`)
      : [printDiff(found, output), ...(about ? [about] : [])].join("\n"),
  );
  if (breaking && found.variables.breaking) {
    throw new CheckError(`Values that were valid for version ${found.from.n} may be refused by ${to}.`);
  }
}

async function diffVersions({ connect }: Context, what: string, range: string): Promise<Diff> {
  const { owner, slug } = addressIn(what);
  const client = await connect();
  return client.prompts.diff({ owner, slug, range });
}

function addressIn(what: string) {
  try {
    const address = parseRef(what);
    if (address.version === undefined && address.label === undefined) return address;
  } catch {
    // Said below.
  }
  throw new UsageError(`"${what}" is not owner/slug. Write owner/slug and a range, or a folder alone.`);
}

async function diffFolder(
  { connectForMany, destination, output }: Context,
  folder: string,
): Promise<FolderDiff> {
  if (!existsSync(folder) && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(folder)) {
    throw new UsageError(
      `There is no folder ${folder}. To compare versions of the prompt ${folder}, add a range, such as 1..latest.`,
    );
  }
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
