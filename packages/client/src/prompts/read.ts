import type { ResolvedVersion, Version } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import { type Connection, exchange } from "../call.ts";
import { unexpected } from "../errors.ts";
import { type CacheEntry, isContent, type Target, withoutVersion } from "./content.ts";
import type { PromptCacheOptions } from "./options.ts";
import type { StaleReason } from "./resolved.ts";

/** What came of asking the registry. */
export type Reading =
  | { entry: CacheEntry }
  /** It was answered, and the answer is no: nothing that was kept may stand in for it. */
  | { refusal: Error }
  | { failure: Error; problem: StaleReason; retryAfterMs: number };

/** How a target is read. */
export interface HowToRead extends Pick<PromptCacheOptions, "onRefused"> {
  /** Given back, confirmed, where it is still what is there. */
  kept: CacheEntry | undefined;
  signal: AbortSignal;
}

/** Asks the registry for a target. Never rejects. */
export async function read(
  connection: Connection,
  target: Target,
  { kept, onRefused, signal }: HowToRead,
): Promise<Reading> {
  try {
    const { data, response } = await ask(connection, target, { etag: kept?.etag, signal });
    if (response.status === 304 && kept) return { entry: { ...kept, confirmedAt: Date.now() } };
    return readingOf(target, data as Answer, response) ?? failureOf(unexpected(response));
  } catch (error) {
    return failureOf(error as Error, onRefused);
  }
}

function ask(
  connection: Connection,
  { owner, slug, version, label }: Target,
  { etag, signal }: { etag: string | null | undefined; signal: AbortSignal },
) {
  if (version !== undefined)
    return exchange(connection, "prompts.versions.get", { owner, slug, n: version }, { signal });
  const query = { view: "version", ...(label !== "latest" && { label }) };
  const headers = { ...(etag && { "if-none-match": etag }) };
  return exchange(connection, "prompts.get", { owner, slug, query }, { headers, signal });
}

/** What anybody may have answered. */
type Answer = Partial<ResolvedVersion & Version> | null | undefined;

/** Undefined for what the registry does not say of this target. */
function readingOf(target: Target, found: Answer, response: Response): Reading | undefined {
  const { label, version: n, owner, slug } = target;
  const asked = `${owner}/${slug}`;
  const confirmedAt = Date.now();
  if (n !== undefined) {
    if (!isVersion(found) || found.n !== n) return undefined;
    return { entry: { ref: asked, isYanked: false, etag: null, ...ofVersion(found), confirmedAt } };
  }
  const { ref, resolvedBy, yanked, version } = found ?? {};
  // Old addresses lead to new ones; otherwise it is as it was asked for.
  const isAsked = typeof ref === "string" && (ref === asked || response.redirected);
  if (!isAsked || (resolvedBy?.value ?? "latest") !== label) return undefined;
  if (version === null) return { refusal: withoutVersion(target) };
  if (!isVersion(version)) return undefined;
  const etag = response.headers.get("etag");
  return { entry: { ref, isYanked: yanked === true, etag, ...ofVersion(version), confirmedAt } };
}

const isVersion = (it: Answer): it is Version =>
  isContent(it) && typeof it.n === "number" && typeof it.promptId === "string";

const ofVersion = ({ n, promptId, entry, files, variables, config }: Version) => ({
  version: n,
  promptId,
  content: { entry, files, variables, config },
});

/** Only what the registry itself says is a refusal: the page of a proxy, or a request too many, is an outage. */
function failureOf(error: Error, onRefused?: PromptCacheOptions["onRefused"]): Reading {
  if (!(error instanceof ApiError)) return { failure: error, problem: "unreachable", retryAfterMs: 0 };
  const { status, code, retryAfterMs = 0 } = error;
  const failed = (problem: StaleReason): Reading => ({ failure: error, problem, retryAfterMs });
  if (status === 429) return failed("rate_limited");
  if (status >= 500 || status === 408 || code === "unexpected_response") return failed("server_error");
  return status === 401 && onRefused === "serve" ? failed("unauthenticated") : { refusal: error };
}
