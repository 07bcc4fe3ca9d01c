import { type Address, refOf } from "../../prompts/index.ts";
import type { Client } from "../../requests/client.ts";
import { InputError } from "../../errors.ts";
import { type LocalPrompt, readPrompt } from "../local/read-prompt.ts";
import { type Refuse, refuseAll } from "../results.ts";
import { type FindRemote, lookUp } from "./remote.ts";
import { createSelection, type Selection } from "../local/selection.ts";

/** A folder, and where its prompt is. */
export interface LocatedPrompt {
  local: LocalPrompt;
  address: Address;
}

/** Reads all before anything is sent; a folder that cannot be read is refused. */
export async function readPrompts(
  folders: readonly string[],
  { isThorough, selection = createSelection(folders) }: { isThorough: boolean; selection?: Selection },
  refuse: Refuse = refuseAll,
): Promise<LocalPrompt[]> {
  const prompts: LocalPrompt[] = [];
  for (const folder of folders) {
    try {
      prompts.push(await readPrompt(folder, { isThorough, selection }));
    } catch (error) {
      refuse(folder, error);
    }
  }
  return prompts;
}

/**
 * Says of each prompt where it is, and how to find what the registry has there. An owner that is given goes before those
 * that the manifests name.
 */
export async function locate(
  client: Client,
  prompts: readonly LocalPrompt[],
  account: () => Promise<string>,
  {
    owner,
    refuse = refuseAll,
    onFound,
  }: { owner?: string | undefined; refuse?: Refuse; onFound?: () => void } = {},
): Promise<{ located: LocatedPrompt[]; find: FindRemote }> {
  const byRef = new Map<string, LocatedPrompt[]>();
  for (const local of prompts) {
    const [slug = "", named] = local.manifest.prompt.split("/").reverse();
    const address = { owner: owner ?? named ?? (await account()), slug };
    const ref = refOf(address);
    byRef.set(ref, [...(byRef.get(ref) ?? []), { local, address }]);
  }
  const located: LocatedPrompt[] = [];
  for (const [ref, twins] of byRef) {
    const [one, other] = twins;
    if (one && !other) located.push(one);
    else
      for (const { local } of twins)
        refuse(
          local.folder,
          new InputError(`${namesOf(twins)} are both ${ref}. Change the prompt in one manifest.`),
          ref,
        );
  }
  const addresses = located.map(({ address }) => address);
  return { located, find: await lookUp(client, addresses, account, onFound) };
}

const namesOf = (twins: readonly LocatedPrompt[]) =>
  twins
    .slice(0, 2)
    .map(({ local }) => local.folder)
    .join(" and ");
