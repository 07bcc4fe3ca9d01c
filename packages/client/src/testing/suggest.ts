import type { Suggestion } from "@promptreg/core";
import { isTooFew, leastLikeness, mixed, mostSuggested } from "@promptreg/core/search";
import type { Handler } from "./handler.ts";
import { foldName, likeness } from "./names.ts";
import { isListed, refOf } from "./show.ts";
import type { StoredPrompt, World } from "./world.ts";

/** What a suggestion is about, in the order of those that begin alike, with what may be like it. */
interface Named extends Suggestion {
  name: string;
  beginsWith: (text: string) => boolean;
}

export const suggest: Handler<"search.suggest"> = ({ query: { q, type, limit }, world }) => {
  const text = q.trim();
  const start = foldName(text);
  const all = [...promptNames(world, text.toLowerCase()), ...tagNames(world), ...userNames(world)].filter(
    (one) => type === undefined || one.type === type,
  );
  const beginning = firstOf(all.filter((one) => one.beginsWith(start)));
  const alike = isTooFew(beginning, text) ? namesLike(all, start) : [];
  return {
    status: 200,
    json: { items: mixed(beginning, alike, limit), nextCursor: null },
    etag: null,
  };
};

/** The first of each type. */
const firstOf = (names: readonly Named[]): Suggestion[] =>
  (["prompt", "tag", "user"] as const).flatMap((wanted) =>
    names
      .filter(({ type }) => type === wanted)
      .slice(0, mostSuggested)
      .map(({ type, label, value }) => ({ type, label, value })),
  );

/** The names that have much of a text, the most alike first. */
const namesLike = (names: readonly Named[], start: string): Suggestion[] =>
  firstOf(
    names
      .map((one) => ({ ...one, likeness: likeness(start, one.name) }))
      .filter((one) => one.likeness >= leastLikeness)
      .sort((a, b) => b.likeness - a.likeness),
  );

/** By title and slug, or by `owner/slug`; the newest first. */
function promptNames({ prompts }: World, text: string): Named[] {
  const [owner, below] = text.split("/");
  const begins =
    ({ owner: { handle }, slug }: StoredPrompt, name: string) =>
    (start: string) =>
      below === undefined
        ? name.startsWith(start) || slug.startsWith(start)
        : handle === owner && slug.startsWith(below);
  return [...prompts.values()]
    .filter(isListed)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .map((prompt) => {
      const name = foldName(prompt.title);
      return {
        type: "prompt",
        label: prompt.title,
        value: refOf(prompt),
        name,
        beginsWith: begins(prompt, name),
      };
    });
}

const asNamed = (type: Suggestion["type"], name: string): Named => ({
  type,
  label: name,
  value: name,
  name,
  beginsWith: (start) => name.startsWith(start),
});

/** The most used first. */
function tagNames({ prompts }: World): Named[] {
  const counts = new Map<string, number>();
  const used = [...prompts.values()].filter(isListed).flatMap(({ tags }) => tags);
  for (const tag of used) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
    .map(([tag]) => asNamed("tag", tag));
}

const userNames = ({ accounts }: World): Named[] =>
  [...accounts.keys()].sort().map((handle) => asNamed("user", handle));
