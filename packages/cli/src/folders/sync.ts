import { parseRef } from "@promptreg/core/refs";
import { recoverRuns } from "../disk/recover.ts";
import { InputError, UsageError } from "../errors.ts";
import { refOf } from "../prompts/index.ts";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import { originOf } from "../settings/profiles.ts";
import { quoted } from "../terminal/text.ts";
import { accountOf } from "./compare/account.ts";
import { findBase } from "./compare/base.ts";
import { locate, readPrompts } from "./compare/locate.ts";
import { type PulledPrompt, readVersion } from "./compare/read-version.ts";
import type { Remote } from "./compare/remote.ts";
import { versionStillThere } from "./compare/undone-pull.ts";
import { findFolders, placesOr } from "./local/find-folders.ts";
import { type LocalPrompt, readPrompt } from "./local/read-prompt.ts";
import { type State, stateOf, versionsBefore, writeState } from "./local/state.ts";
import { planMerge, type Planned, readingOf } from "./pull/plan.ts";
import { refuseConflicts } from "./pull/merge-files.ts";
import { reportPull, write } from "./pull.ts";

/** Merges into the folder of a fork what changed in its source. A push sends the outcome. */
export async function sync({ connectForMany, destination, output }: Context, place?: string): Promise<void> {
  const [folder = "", ...others] = await findFolders(placesOr(place === undefined ? [] : [place]));
  if (others.length > 0)
    throw new UsageError(
      `${place ?? "This folder"} holds ${others.length + 1} prompts. Name the folder of one.`,
    );
  for (const text of await recoverRuns(folder)) output.note(text);
  const { client } = await connectForMany();
  const origin = originOf((await destination()).url);
  const { remote, theirs } = await readSource(client, folder);
  const local = await readPrompt(folder, readingOf(theirs));
  const state = await stateOf(local, origin, remote);
  const merged = state?.source ?? { version: remote.forkedFrom.versionNumber };
  const base = (await versionStillThere(client, local, theirs.prompt, merged)) ?? merged.version;
  const begun = { pulled: theirs, folder, local, base };
  const planned: Planned =
    theirs.version.n <= base
      ? { ...begun, files: local.checked, conflicts: [], status: "kept" }
      : { ...begun, ...(await planMerge(client, begun)) };
  await write(planned);
  if (planned.status === "merged") {
    const own = state ?? (await stateFrom(client, { local, remote, origin }));
    const from = versionsBefore(merged.from, base, theirs.version.n);
    // Without it the next one merges the same changes again, which changes nothing.
    if (own !== null)
      await writeState(local, origin, { ...own, source: { version: theirs.version.n, from } }).catch(
        (error: Error) => output.note(error.message),
      );
  }
  reportPull([planned], [], output);
  refuseConflicts([planned], "Edit the files and push.");
  if (planned.status === "merged")
    output.note(
      `Next: promptreg push ${quoted(folder)}. If it is proposed in a change request, say what is merged: \`promptreg change-request edit ${theirs.prompt.ref} <number> --propose latest --base ${theirs.version.n}\`.`,
    );
}

type Fork = Remote & { forkedFrom: NonNullable<Remote["forkedFrom"]> };

/** The fork of a folder, and the newest version of what it was forked from. */
async function readSource(client: Client, folder: string): Promise<{ remote: Fork; theirs: PulledPrompt }> {
  const prompts = await readPrompts([folder], { isThorough: false });
  const { located, find } = await locate(client, prompts, accountOf(client));
  for (const { address } of located) {
    const remote = await find(address);
    if (remote === null)
      throw new InputError(`The registry has no ${refOf(address)}. \`promptreg push\` creates it.`);
    const { forkedFrom } = remote;
    if (forkedFrom === null)
      throw new InputError(
        `${remote.ref} is no fork, or you cannot read any more what it was forked from. \`promptreg pull\` merges its own versions.`,
      );
    const theirs = await readVersion(client, parseRef(forkedFrom.ref));
    return { remote: { ...remote, forkedFrom }, theirs };
  }
  throw new InputError(`${folder} contains no prompt.`);
}

/** What a folder is noted to be that came with git, and so without a state. */
async function stateFrom(
  client: Client,
  { local, remote, origin }: { local: LocalPrompt; remote: Remote; origin: string },
): Promise<State | null> {
  const base = await findBase(client, local, remote, { origin });
  return base && { id: remote.id, ref: remote.ref, version: base.version, about: {} };
}
