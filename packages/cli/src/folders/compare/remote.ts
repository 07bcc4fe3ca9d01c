import { type Address, getPrompt, refOf } from "../../prompts/index.ts";
import type { PromptSummary } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import { ApiError } from "@promptreg/core/errors";
import { accountOf } from "./account.ts";

/** What the registry has of a prompt, as far as it is compared with a folder. */
export type Remote = Pick<
  PromptSummary,
  | "id"
  | "ref"
  | "owner"
  | "slug"
  | "kind"
  | "title"
  | "summary"
  | "tags"
  | "license"
  | "visibility"
  | "rating"
  | "status"
  | "labels"
  | "forkedFrom"
  | "latest"
  | "viewer"
>;

/** Finds what the registry has at an address; null where there is nothing, or nothing that may be seen. */
export type FindRemote = (address: Address) => Promise<Remote | null>;

/** Up to so many are read one by one; for more, the list of one's own prompts is asked, a hundred a page. */
const few = 10;

/** Asks the registry about many prompts at once, in as few requests as it can; `account` fails where the token may not read. */
export async function lookUp(
  client: Client,
  addresses: readonly Address[],
  account = accountOf(client),
  onFound: () => void = () => {},
): Promise<FindRemote> {
  const listed = new Map<string, Remote>();
  if (addresses.length > few) {
    const missing = new Set(addresses.map(refOf));
    let misses = 0;
    for await (const prompt of client.prompts.list({ query: { owner: "me", sort: "newest", limit: 100 } })) {
      const isWanted = missing.delete(prompt.ref);
      if (isWanted) {
        listed.set(prompt.ref, prompt);
        onFound();
      }
      misses = isWanted ? 0 : misses + 1;
      // Whoever has thousands and pushes a few need not see them all: what is left is soon read one by one.
      if (misses >= 100 * missing.size) break;
    }
  }
  return async (address) =>
    listed.get(refOf(address)) ?? (await read(client, address, account).finally(onFound));
}

async function read(
  client: Client,
  address: Address,
  account: () => Promise<string>,
): Promise<Remote | null> {
  try {
    const { version, ...prompt } = await getPrompt(client, address);
    return { ...prompt, latest: version && { n: version.n, contentHash: version.contentHash } };
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    // A token that may not read finds nothing that is private.
    await account();
    return null;
  }
}
