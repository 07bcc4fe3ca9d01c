import type { ResolvedVersion, Version } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import { type Connection, exchange } from "../exchange.ts";
import { isOurs, unexpected } from "../errors.ts";
import type { AbortSignal, Response } from "../web.ts";
import { type CacheEntry, isContent, type Target, withoutVersion } from "./content.ts";
import type { PromptCacheOptions } from "./options.ts";
import type { StaleReason } from "./resolved.ts";

/** The result of a request for a target. */
export type LookupResult =
  | { entry: CacheEntry }
  /** The registry refused the request: no cache entry may be served. */
  | { refusal: Error }
  | { failure: Error; problem: StaleReason; retryAfterMs: number };

/** Options of `read`. */
export interface ReadOptions extends Pick<PromptCacheOptions, "onRefused"> {
  /** Returned, confirmed, if it has not changed. */
  kept: CacheEntry | undefined;
  signal: AbortSignal;
}

/** Requests a target from the registry. Never rejects. */
export async function read(
  connection: Connection,
  target: Target,
  { kept, onRefused, signal }: ReadOptions,
): Promise<LookupResult> {
  try {
    const { data, response } = await request(connection, target, { etag: kept?.etag, signal });
    if (response.status === 304 && kept) return { entry: { ...kept, confirmedAt: Date.now() } };
    return resultOf(target, data as Answer, response) ?? failureOf(unexpected(response));
  } catch (error) {
    // Of several prompts, it says which one.
    if (isOurs(error)) error.message = `${target.key}: ${error.message}`;
    return failureOf(error as Error, onRefused);
  }
}

function request(
  connection: Connection,
  { owner, slug, version, label }: Target,
  { etag, signal }: { etag: string | null | undefined; signal: AbortSignal },
) {
  // What an address consists of needs no encoding.
  const which = version !== undefined ? `&version=${version}` : label !== "latest" ? `&label=${label}` : "";
  return exchange(connection, "prompts.get", {
    method: "GET",
    path: `/prompts/${owner}/${slug}?view=version${which}`,
    isRepeatable: true,
    headers: { ...(etag && { "if-none-match": etag }) },
    signal,
  });
}

/** Data of a response that may come from any server. */
type Answer = Partial<ResolvedVersion> | null | undefined;

/** Undefined if the registry cannot have sent this for the target. */
function resultOf(target: Target, found: Answer, response: Response): LookupResult | undefined {
  const { label, version: n, owner, slug } = target;
  const asked = `${owner}/${slug}`;
  const { ref, resolvedBy, yanked, version } = found ?? {};
  // After a redirect from an old address, the prompt has a new one.
  const isAsked = typeof ref === "string" && (ref === asked || response.redirected);
  if (!isAsked || (resolvedBy?.value ?? "latest") !== (n ?? label)) return undefined;
  if (version === null) return { refusal: withoutVersion(target) };
  if (!isVersion(version) || (n !== undefined && version.n !== n)) return undefined;
  const etag = n === undefined ? response.headers.get("etag") : null;
  return { entry: entryOf({ ref, yanked, version, etag }, Date.now()) };
}

/** The cache entry of a version that the registry sent. */
export const entryOf = (
  { ref, yanked, version, etag }: Pick<CacheEntry, "ref" | "etag"> & { yanked: unknown; version: Version },
  confirmedAt: number,
): CacheEntry => ({ ref, isYanked: yanked === true, etag, ...ofVersion(version), confirmedAt });

/** Whether a value is a version. It may come from any server. */
export const isVersion = (it: Partial<Version> | null | undefined): it is Version =>
  isContent(it) && typeof it.n === "number" && typeof it.promptId === "string";

const ofVersion = ({ n, promptId, entry, files, variables, config }: Version) => ({
  version: n,
  promptId,
  content: { entry, files, variables, config },
});

/** Only the registry itself refuses. The page of a proxy, or a rate limit, counts as an outage. */
function failureOf(error: Error, onRefused?: PromptCacheOptions["onRefused"]): LookupResult {
  if (!(error instanceof ApiError)) return { failure: error, problem: "unreachable", retryAfterMs: 0 };
  const { status, code, retryAfterMs = 0 } = error;
  const failed = (problem: StaleReason): LookupResult => ({ failure: error, problem, retryAfterMs });
  if (status === 429) return failed("rate_limited");
  if (status >= 500 || status === 408 || code === "unexpected_response") return failed("server_error");
  return status === 401 && onRefused === "serve" ? failed("unauthenticated") : { refusal: error };
}
