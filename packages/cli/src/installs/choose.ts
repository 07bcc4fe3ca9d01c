import type { PromptAddress } from "@promptreg/core/refs";
import { InputError } from "../errors.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import type { Install } from "./record.ts";

/** Which installs of a prompt are meant. */
export interface Choice {
  /** Tools or formats; all where none is named. */
  for?: string[];
}

/** The installs that a command line means: all where no prompt is named. */
export function chooseInstalls(
  installs: readonly Install[],
  addresses: readonly PromptAddress[],
  { for: targets, record }: Choice & { record: string },
): Install[] {
  const refs = addresses.map(({ owner, slug }) => `${owner}/${slug}`);
  const known = [...new Set(installs.map(({ ref }) => ref))];
  for (const ref of refs)
    if (!known.includes(ref))
      throw new InputError(`${ref} is not installed, says ${record}.${didYouMean(ref, known)}`);
  const named = installs.filter(({ ref }) => refs.length === 0 || refs.includes(ref));
  for (const target of targets ?? [])
    if (!named.some((one) => one.target === target))
      throw new InputError(`${refs.join(", ") || "Nothing"} is installed for ${target}, says ${record}.`);
  return named.filter(({ target }) => targets === undefined || targets.includes(target));
}
