import type { Client } from "@promptreg/client";
import { InputError } from "../errors.ts";
import { type LocalPrompt, readPrompt } from "./read-prompt.ts";
import { type Address, type FindRemote, lookUp, refOf } from "./remote.ts";
import { createSelection, type Selection } from "./selection.ts";

/** A folder, and where its prompt is. */
export interface Placed {
  local: LocalPrompt;
  address: Address;
}

/** Reads all before any is sent, so that a mistake in the last leaves none half done. */
export async function readPrompts(
  folders: readonly string[],
  { isThorough, selection = createSelection(folders) }: { isThorough: boolean; selection?: Selection },
): Promise<LocalPrompt[]> {
  const prompts: LocalPrompt[] = [];
  for (const folder of folders) prompts.push(await readPrompt(folder, { isThorough, selection }));
  return prompts;
}

/** Says of each prompt where it is, and how to find what the registry has there. */
export async function place(
  client: Client,
  prompts: readonly LocalPrompt[],
  account: () => Promise<string>,
): Promise<{ placed: Placed[]; find: FindRemote }> {
  const placed: Placed[] = [];
  const folders = new Map<string, string>();
  for (const local of prompts) {
    const [slug = "", named] = local.manifest.prompt.split("/").reverse();
    const address = { owner: named ?? (await account()), slug };
    const twin = folders.get(refOf(address));
    if (twin !== undefined) {
      throw new InputError(`${twin} and ${local.folder} both say that they are ${refOf(address)}.`);
    }
    folders.set(refOf(address), local.folder);
    placed.push({ local, address });
  }
  return {
    placed,
    find: await lookUp(
      client,
      placed.map(({ address }) => address),
    ),
  };
}

/** Asks once, when it is needed, whose token it is. */
export function accountOf(client: Client): () => Promise<string> {
  let me: Promise<{ handle: string }> | undefined;
  return async () => (await (me ??= client.users.me.get())).handle;
}
