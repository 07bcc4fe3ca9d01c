import type { PromptKind } from "../../content/kinds.ts";

const maxSlug = 64;

/** Gives each prompt a slug that no other one has. */
export class Slugs {
  readonly #taken = new Set<string>();

  take(name: string, kind: PromptKind): string {
    const slug = slugOf(name) || kind;
    let one = slug;
    for (let n = 2; this.#taken.has(one); n += 1) {
      const end = `-${n}`;
      one = `${slug.slice(0, maxSlug - end.length).replace(/-$/, "")}${end}`;
    }
    this.#taken.add(one);
    return one;
  }
}

/** A name as a slug: without accents, in lower case, words joined by hyphens. Empty if it has no letters from A to Z. */
export const slugOf = (name: string): string =>
  name
    .slice(0, 1_000)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxSlug)
    .replace(/^-|-$/g, "");

/** What tools, and people after them, call such a file in every project. */
const conventional =
  /^(?:agents|claude|gemini|copilot-instructions|cursorrules|windsurfrules|system|prompts?|index|instructions|main)$/;

/** A name that its author chose, as a slug, of the file or else of its folder; null for one that files of its kind have everywhere. */
export function nameOf(name: string, path: string): string | null {
  const slug = slugOf(name);
  if (!conventional.test(slug)) return slug;
  const folder = /^(?:prompt|system|index|main)$/.test(slug) ? (path.split("/").at(-2) ?? "") : "";
  return folder === "" || folder.startsWith(".") || conventional.test(slugOf(folder)) ? null : slugOf(folder);
}

/** A name of a file in words: `Write essay`. */
export const wordsOf = (name: string): string => {
  const words = name.replace(/[/_.-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** One line, without control characters and marks that turn the direction of what stands around them. */
export const plainLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim()
    .toWellFormed();

/** One line of a length that the registry takes, cut between words; null if nothing is left. */
export function fitText(text: string | null, max: number): string | null {
  const line = plainLine((text ?? "").slice(0, 20 * max)).replace(/\s+/g, " ");
  if (line === "") return null;
  if (line.length <= max) return line;
  return `${line
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, "")
    .replace(/ \S{0,30}$/, "")}…`;
}

const maxTags = 10;
/** Those that can be tags. */
export const fitTags = (tags: readonly string[]): string[] =>
  [...new Set(tags.flatMap((tag) => slugOf(tag).slice(0, 32).replace(/-$/, "") || []))].slice(0, maxTags);
