import { catalogue } from "./catalogue.ts";

/** Ids by the names of their models, in lower case; null where several providers have one of that name. */
const ids = new Map<string, string | null>();
for (const { id, name, aliases } of catalogue)
  for (const known of [name, ...aliases].map((one) => one.toLowerCase()))
    ids.set(known, ids.has(known) ? null : id);

/**
 * The id in the catalogue of a model as tools name it: `gpt-5`, `openai/gpt-5`, `openai:gpt-5` or `openai:chat:gpt-5`. Null if it is not
 * there, or if the provider is another one.
 */
export function modelIdOf(model: string): string | null {
  const [name = "", ...before] = model.toLowerCase().split(/[/:]/).reverse();
  const id = ids.get(name) ?? null;
  const provider = before.at(-1);
  return provider === undefined || id?.startsWith(`${provider}/`) ? id : null;
}
