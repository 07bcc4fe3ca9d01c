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

/** As many as wanted: tags and accounts keep some room beside prompts. */
export function mixed(
  beginning: readonly Suggestion[],
  alike: readonly Suggestion[],
  limit = mostSuggested,
): Suggestion[] {
  const known = new Set(beginning.map(nameOf));
  const items = [...beginning, ...alike.filter((item) => !known.has(nameOf(item)))];
  const room = Math.ceil(limit / 4);
  const of = (type: Suggestion["type"]) => items.filter((item) => item.type === type);
  const [prompts, tags, users] = [of("prompt"), of("tag"), of("user")];
  const others = Math.min(room, tags.length) + Math.min(room, users.length);
  const shown = [
    ...prompts.slice(0, Math.max(1, limit - others)),
    ...tags.slice(0, Math.max(room, limit - prompts.length - Math.min(room, users.length))),
    ...users.slice(0, Math.max(room, limit - prompts.length - Math.min(room, tags.length))),
  ];
  return shown.slice(0, limit);
}

const nameOf = ({ type, value }: Suggestion) => `${type}:${value}`;
