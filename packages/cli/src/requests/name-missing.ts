import { ApiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";

/** What the registry says of all that is not there, or hidden. */
const generic = /^Not found\. /;

/**
 * Names what was not found, as it was written.
 * @param given what a command was called with: its arguments and options.
 */
export function nameMissing(error: unknown, given: readonly unknown[]): unknown {
  if (!(error instanceof ApiError && error.code === "not_found" && generic.test(error.message))) return error;
  const { prompt } = Object(given.at(-1)) as { prompt?: unknown };
  const [first, ...others] = given.slice(0, -1).flat();
  const isOneOfMany = others.some(isAddress);
  const words = isName(first) && !isOneOfMany ? [first, ...others] : isName(prompt) ? [prompt] : [];
  if (words.length === 0) return error;
  const name = words
    .filter((word) => word !== undefined)
    .map(textOf)
    .join(" ");
  return Object.assign(error, { message: `${name}: ${error.message}` });
}

const isAddress = (value: unknown): value is PromptAddress => Object(value).slug !== undefined;
const isName = (value: unknown) =>
  isAddress(value) || (typeof value === "string" && /^([a-z]{3}_\w+|[a-z0-9-]+\/[a-z0-9@-]+)$/.test(value));

function textOf(word: unknown): string {
  if (!isAddress(word)) return String(word);
  const { owner, slug, version, label } = word;
  return `${owner}/${slug}${[version ?? label].map((name) => (name === undefined ? "" : `@${name}`)).join("")}`;
}
