import type { Prompt } from "@promptreg/client";
import type { Client } from "../requests/client.ts";

/** Where a prompt is. */
export interface Address {
  owner: string;
  slug: string;
}

/** `owner/slug`. */
export const refOf = ({ owner, slug }: Address): string => `${owner}/${slug}`;

/** Gets a prompt at its latest version. */
export const getPrompt = async (client: Client, address: Address): Promise<Prompt> =>
  client.prompts.get(address);

/** Where a prompt is now, which a former address may have led to. */
export const addressOf = ({ owner, slug }: Pick<Prompt, "owner" | "slug">): Address => ({
  owner: owner.handle,
  slug,
});
