import { ApiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";

/** What the registry says of all that is not there, or hidden. */
const generic = /^Not found\. /;

/**
 * Names what was not found, as it was written; where nothing was, or something else than a registry answered, the server.
 * @param given what a command was called with: its arguments and options.
 */
export async function nameAddress(
  error: unknown,
  given: readonly unknown[],
  destination: () => Promise<{ url: string; urlSource: string }>,
): Promise<unknown> {
  if (!(error instanceof ApiError)) return error;
  const isMissing = error.code === "not_found" && generic.test(error.message);
  if (!isMissing && error.code !== "unexpected_response") return error;
  const name = isMissing ? nameIn(given) : "";
  if (name) return Object.assign(error, { message: `${name}: ${error.message}` });
  // What somebody wrote that is no address may be what is missing.
  if (
    isMissing &&
    given
      .slice(0, -1)
      .flat()
      .some((word) => word !== undefined)
  )
    return error;
  const { url, urlSource } = await destination();
  return Object.assign(error, { message: `${error.message} The server is ${url}, from ${urlSource}.` });
}

function nameIn(given: readonly unknown[]): string {
  const { prompt } = Object(given.at(-1)) as { prompt?: unknown };
  const [first, ...others] = given.slice(0, -1).flat();
  const isOneOfMany = (isAddress(first) && others.some(isAddress)) || others.filter(isTarget).length > 1;
  const words = isName(first) && !isOneOfMany ? [first, ...others] : isName(prompt) ? [prompt] : [];
  return (
    words
      .filter((word) => word !== undefined)
      .map(textOf)
      // What somebody wants to say there is no name.
      .filter((word) => !/\s/.test(word))
      .join(" ")
  );
}

const isAddress = (value: unknown): value is PromptAddress => Object(value).slug !== undefined;
/** What is commented on, reported or collected. */
const isTarget = (value: unknown): value is { type: string; id: string } =>
  typeof Object(value).type === "string" && typeof Object(value).id === "string";
const isName = (value: unknown) =>
  isAddress(value) ||
  isTarget(value) ||
  (typeof value === "string" && /^([a-z]{3}_\w+|([a-z0-9-]+\/)?[a-z0-9@-]+)$/.test(value));

function textOf(word: unknown): string {
  if (isTarget(word)) return ["make", "post"].includes(word.type) ? `${word.type}:${word.id}` : word.id;
  if (!isAddress(word)) return String(word);
  const { owner, slug, version, label } = word;
  return `${owner}/${slug}${[version ?? label].map((name) => (name === undefined ? "" : `@${name}`)).join("")}`;
}
