import type { ImportSource, NewImportSource } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { parsePlace, type Place, PlaceError } from "@promptreg/core/imports";
import { checkUrl } from "../../../kernel/reach/addresses.ts";
import type { ServerContext } from "../../../kernel/server-context.ts";

/** Where imports may go. */
export type PlacePolicy = Pick<ServerContext, "allowUnsafeWebhooks">;

/**
 * Describes a file on the web or a repository, as far as its address tells. What the name in it resolves to is found out when it is fetched.
 * A repository or a gist that was sent as `url` is a repository.
 * @throws {ApiError} `url_refused`, with the reason.
 */
export function describePlace(
  source: Extract<NewImportSource, { type: "url" | "repository" }>,
  policy: PlacePolicy,
): ImportSource {
  const { path, given, options } =
    source.type === "url"
      ? { path: "/source/url", given: source.url.trim(), options: {} }
      : { path: "/source/repository", given: source.repository.trim(), options: source };
  try {
    const place = readPlace(given, options);
    if (place.type === "url" && source.type === "repository") throw new PlaceError(noRepository);
    const problem = problemOf(place, policy);
    if (problem !== undefined) throw new PlaceError(problem);
    return {
      type: place.type,
      label: place.name.slice(0, 200).toWellFormed(),
      ...addressOf(given, place, options),
    };
  } catch (error) {
    if (!(error instanceof PlaceError)) throw error;
    const { message } = error;
    throw apiError("url_refused", { message, details: [{ path, code: "url_refused", message }] });
  }
}

/** Where the source of an import lies, which `describePlace` has described. */
export const placeOf = ({ url = "", ...options }: ImportSource): Place => readPlace(url, options);

const noRepository =
  "This is the address of a file. Send it as url. Of a GitLab of your own, give the address of a branch: …/-/tree/main.";

function readPlace(text: string, options: { ref?: string; path?: string }): Place {
  const place = parsePlace(text, options);
  if (place === null) throw new PlaceError("Send an address that begins with https://, or owner/name.");
  return place;
}

function problemOf(place: Place, { allowUnsafeWebhooks: allowUnsafe }: PlacePolicy): string | undefined {
  const urls = place.type === "url" ? [place.url] : place.archives.map(({ url }) => url);
  return urls.map((url) => checkUrl(url, { allowUnsafe }).problem).find((problem) => problem !== undefined);
}

/**
 * What `placeOf` reads again. An address stays as it was given, because a branch and a folder in it are told apart when it is fetched. Of
 * `owner/name@ref` it is made.
 */
function addressOf(given: string, place: Place, { ref, path }: { ref?: string; path?: string }) {
  const isShort = !/^(?:https:|(?:www\.)?git(?:hub|lab)\.com\/)/i.test(given);
  const known = isShort && place.type === "repository" ? (place.archives[0]?.ref ?? undefined) : ref;
  const address = isShort ? place.name : given.replace(/^https:\/\//i, "").replace(/#.*/s, "");
  return {
    url: `https://${address}`,
    ...(known !== undefined && { ref: known }),
    ...(path !== undefined && { path }),
  };
}
