import type { Client, Prompt } from "@promptreg/client";

/** Gets a prompt at its latest version. */
export const getPrompt = async (client: Client, address: { owner: string; slug: string }): Promise<Prompt> =>
  // Only `view=version` would answer with less.
  (await client.prompts.get(address)) as Prompt;

/** Where a prompt is now, which another name may have led to. */
export const addressOf = ({ owner, slug }: Pick<Prompt, "owner" | "slug">) => ({ owner: owner.handle, slug });
