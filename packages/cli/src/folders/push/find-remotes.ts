import { refOf } from "../../prompts/index.ts";
import type { Client } from "../../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import { eachConcurrently } from "../../requests/concurrently.ts";
import type { Context } from "../../settings/context.ts";
import { InputError } from "../../errors.ts";
import { accountOf } from "../compare/account.ts";
import { type LocatedPrompt, locate } from "../compare/locate.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import type { Remote } from "../compare/remote.ts";
import type { Refuse } from "../results.ts";

/** A folder, and what the registry has at its address. */
export interface Found extends LocatedPrompt {
  remote: Remote | null;
}

interface Finding extends Pick<Context, "confirm"> {
  client: Client;
  refuse: Refuse;
  /** Whose they are to be, where that was said. */
  owner: string | undefined;
  mayAsk: boolean;
  /** Called for each of which it is known what the registry has. */
  onFound: () => void;
}

/**
 * Finds the prompts that a push brings up to date, all of them of the token's account. Whoever pushes what names somebody
 * else makes a copy, which is asked about first: a shared repository should not be copied by mistake.
 */
export async function findRemotes(
  prompts: readonly LocalPrompt[],
  { client, owner, refuse, mayAsk, onFound, confirm }: Finding,
): Promise<Found[]> {
  const account = accountOf(client);
  if (owner !== undefined && owner !== (await account()))
    throw apiError("forbidden", {
      message: `--owner is ${owner}, but the token belongs to ${await account()}.`,
    });
  const find = async (as?: string): Promise<Found[]> => {
    const { located, find } = await locate(client, prompts, account, { owner: as, refuse, onFound });
    const found: Found[] = [];
    await eachConcurrently(located, async ({ local, address }, index) => {
      try {
        found[index] = { local, address, remote: await find(address) };
      } catch (error) {
        refuse(local.folder, error, refOf(address));
      }
    });
    return withoutDuplicates(found.flat(), refuse);
  };
  const found = await find(owner);
  const foreign: Found[] = [];
  for (const one of found) if (await isForeign(one, account)) foreign.push(one);
  if (foreign.length === 0) return found;
  const handle = await account();
  if (mayAsk) {
    await confirm(`${ownership(foreign)}, but the token belongs to ${handle}. Push copies as ${handle}/…?`);
    return find(handle);
  }
  for (const one of foreign) refuse(one.local.folder, notOurs(one, handle), refOf(one.address));
  return found.filter((one) => !foreign.includes(one));
}

/** Two folders of one prompt, of which one has its former address, would undo each other. */
function withoutDuplicates(found: readonly Found[], refuse: Refuse): Found[] {
  const folders = new Map<string, string[]>();
  for (const { local, remote } of found)
    if (remote !== null) folders.set(remote.id, [...(folders.get(remote.id) ?? []), local.folder]);
  return found.filter(({ local, address, remote }) => {
    const twins = folders.get(remote?.id ?? "") ?? [];
    if (remote === null || twins.length < 2) return true;
    const message = `${twins.slice(0, 2).join(" and ")} are both ${remote.ref}, one under its old address. Delete one of them.`;
    refuse(local.folder, new InputError(message), refOf(address));
    return false;
  });
}

const isForeign = async ({ address, remote }: Found, account: () => Promise<string>) =>
  remote === null ? address.owner !== (await account()) : remote.viewer?.isOwner === false;

function ownership(foreign: readonly Found[]): string {
  const owners = [...new Set(foreign.map(({ address }) => address.owner))].join(" and ");
  const [first] = foreign;
  return foreign.length === 1 && first
    ? `${refOf(first.address)} belongs to ${owners}`
    : `${foreign.length} of these prompts belong to ${owners}`;
}

const notOurs = ({ address, address: { slug } }: Found, handle: string) =>
  apiError("forbidden", {
    message: `${refOf(address)} belongs to ${address.owner}, but the token belongs to ${handle}. --owner ${handle} pushes a copy, ${handle}/${slug}.`,
  });
