import { InputError } from "../errors.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import type { CollectionName, PromptSource } from "../grammar/arguments.ts";
import type { Client } from "../requests/client.ts";
import type { Output } from "../terminal/output.ts";

/** The prompts that a command names, with those of its collections at their latest version. Each comes once, as it is named first. */
export async function promptsOf(
  { client, output }: { client: () => Promise<Client>; output: Output },
  given: readonly PromptSource[],
): Promise<PromptAddress[]> {
  const prompts = given.filter((one): one is PromptAddress => !isCollection(one));
  const known = new Set(prompts.map(({ owner, slug }) => `${owner}/${slug}`));
  for (const { collection } of given.filter(isCollection)) {
    const left: string[] = [];
    let count = 0;
    for await (const item of (await client()).collections.get({
      id: collection,
      query: { type: "prompt", limit: 100 },
    })) {
      if (item.type !== "prompt") continue;
      const { target } = item;
      const { owner, slug, ref, latest } = target;
      if (latest === null) left.push(ref);
      else count += 1;
      if (latest === null || known.has(ref)) continue;
      known.add(ref);
      prompts.push({ owner: owner.handle, slug });
    }
    if (left.length > 0) output.note(`Left out, since there is no version: ${left.join(", ")}.`);
    if (count === 0)
      throw new InputError(`The collection ${collection} has no prompt with a version that you can see.`);
  }
  return prompts;
}

const isCollection = (source: PromptSource): source is CollectionName => "collection" in source;
