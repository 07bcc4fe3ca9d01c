import type { ResolvedVersion, Version } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import { type Connection, exchange } from "../call.ts";
import { type Copy, type Target, withoutVersion } from "./content.ts";
import type { StaleReason } from "./resolved.ts";

/** What came of asking the registry. */
export type Reading =
  | { copy: Copy }
  /** It was answered, and the answer is no: nothing that was kept may stand in for it. */
  | { refusal: Error }
  | { failure: Error; problem: StaleReason; retryAfterMs: number };

/**
 * Asks the registry for a target. Never rejects.
 * @param kept is given back, confirmed, where it is still what is there.
 */
export async function read(
  connection: Connection,
  target: Target,
  { kept, retries }: { kept: Copy | undefined; retries: number },
): Promise<Reading> {
  try {
    const { data, response } = await ask({ ...connection, retries }, target, kept?.etag ?? null);
    if (response.status === 304 && kept) return { copy: { ...kept, confirmedAt: Date.now() } };
    return copyOf(target, data as Version | ResolvedVersion, response.headers.get("etag"));
  } catch (error) {
    return failureOf(error as Error);
  }
}

function ask(connection: Connection, { owner, slug, version, label }: Target, etag: string | null) {
  if (version !== undefined) return exchange(connection, "prompts.versions.get", { owner, slug, n: version });
  const query = { view: "version", ...(label !== "latest" && { label }) };
  return exchange(
    connection,
    "prompts.get",
    { owner, slug, query },
    etag === null ? {} : { headers: { "if-none-match": etag } },
  );
}

function copyOf(target: Target, found: Version | ResolvedVersion, etag: string | null): Reading {
  const confirmedAt = Date.now();
  if (!("resolvedBy" in found)) {
    const ref = `${target.owner}/${target.slug}`;
    return { copy: { ref, isYanked: false, etag: null, ...ofVersion(found), confirmedAt } };
  }
  const { ref, yanked: isYanked, version } = found;
  if (version === null) return { refusal: withoutVersion(target) };
  return { copy: { ref, isYanked, etag, ...ofVersion(version), confirmedAt } };
}

const ofVersion = ({ n, promptId, entry, files, variables, config }: Version) => ({
  version: n,
  promptId,
  content: { entry, files, variables, config },
});

/** Only what the registry itself says is a refusal: the page of a proxy, or a request too many, is an outage. */
function failureOf(error: Error): Reading {
  if (!(error instanceof ApiError)) return { failure: error, problem: "unreachable", retryAfterMs: 0 };
  const { status, code } = error;
  if (status === 429)
    return { failure: error, problem: "rate_limited", retryAfterMs: error.retryAfterMs ?? 0 };
  if (status >= 500 || status === 408 || code === "unexpected_response")
    return { failure: error, problem: "server_error", retryAfterMs: error.retryAfterMs ?? 0 };
  return { refusal: error };
}
