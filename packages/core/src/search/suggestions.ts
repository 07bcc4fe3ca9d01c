import type { Suggestion } from "../groups/search/schemas.ts";

/** How many suggestions of each type are looked for, and given at most. */
export const mostSuggested = 10;
/** With fewer names than this that begin like the text, names are added that are almost like it. */
const little = 3;
/** Shorter texts are like too many names. */
const shortest = 4;
/** How alike a name must be, as `pg_trgm` measures it. Its default is for longer texts: `freindly` is not like `friendly` by it. */
export const leastLikeness = 0.35;

/** Whether names are added to those that begin with a text. */
export const isTooFew = (beginning: readonly Suggestion[], text: string): boolean =>
  beginning.length < little && text.length >= shortest && !text.includes("/");

/** As many as wanted: what is no prompt keeps some room beside prompts. */
export function mixed(
  beginning: readonly Suggestion[],
  alike: readonly Suggestion[],
  limit = mostSuggested,
): Suggestion[] {
  const known = new Set(beginning.map(nameOf));
  const items = [...beginning, ...alike.filter((item) => !known.has(nameOf(item)))];
  const of = (type: Suggestion["type"]) => items.filter((item) => item.type === type);
  const prompts = of("prompt");
  const others = (["collection", "make", "tag", "user"] as const).map(of);
  const present = others.filter(({ length }) => length > 0).length;
  const room = Math.ceil(limit / (2 + Math.max(2, present)));
  const least = others.map(({ length }) => Math.min(room, length));
  const taken = least.reduce((sum, one) => sum + one, 0);
  const shown = [
    ...prompts.slice(0, Math.max(1, limit - taken)),
    ...others.flatMap((some, nth) =>
      some.slice(0, Math.max(room, limit - prompts.length - taken + least[nth]!)),
    ),
  ];
  return shown.slice(0, limit);
}

const nameOf = ({ type, value }: Suggestion) => `${type}:${value}`;
