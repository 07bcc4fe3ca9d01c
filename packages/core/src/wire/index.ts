import type { FieldAccess } from "../operations/access.ts";
import { type ApiError, apiError, type ErrorBody, invalid, lastingError } from "../catalogue/errors.ts";
import type { Scope } from "../operations/scope.ts";

// How requests are read and responses written, for all operations. The server uses it, and the light registry for tests.
export { boundJson, maxDepth, maxValues } from "./json-bounds.ts";
export { parse, pointer } from "./validate.ts";

const year = 31_536_000;

/** CORS: pages of any origin may call without cookies, and read these response headers beside the usual ones. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, Preference-Applied, X-Format-Warning, Content-Disposition, RateLimit, RateLimit-Policy",
};

/** Browsers must not guess another content type. */
export const noSniff = { "x-content-type-options": "nosniff" };

const isOwnId = /^[A-Za-z0-9._-]{8,128}$/;

/** The id of a request: the one that the caller sent, if it is valid, or a new one. */
export const chooseRequestId = (sent: string | string[] | null | undefined): string =>
  typeof sent === "string" && isOwnId.test(sent) ? sent : crypto.randomUUID();

/** The query of a URL as an object. A repeated name gives a list. */
export function readQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf("?");
  // Other sites add utm_ parameters to links. The schema refuses every other unknown name.
  return start === -1 ? Object.create(null) : readPairs(url.slice(start + 1), { ignored: "utm_" });
}

/** The fields of a query or a form. */
export function readPairs(
  text: string,
  { ignored }: { ignored?: string } = {},
): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (ignored !== undefined && name.startsWith(ignored)) continue;
    const earlier = fields[name];
    if (Array.isArray(earlier)) earlier.push(value);
    else fields[name] = earlier === undefined ? value : [earlier, value];
  }
  return fields;
}

/**
 * Reads an Idempotency-Key, quoted or bare.
 * @throws {ApiError} `validation_failed` unless it is 1 to 255 printable characters.
 */
export function readIdempotencyKey(header: string): string {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid("/idempotency-key", "An Idempotency-Key is 1 to 255 printable characters.");
  }
  return key;
}

/** The longest wait of a read, in seconds. */
export const longestWait = 30;

/**
 * How long a read may wait for a change, in seconds: `wait=10` of a Prefer header (RFC 7240). 0 if it says nothing of that, or
 * what no number of seconds is: a preference may be ignored.
 */
export function readWait(prefer: string | null | undefined): number {
  for (const preference of prefer?.split(",") ?? []) {
    const [, seconds] = /^[ \t]*wait[ \t]*=[ \t]*(\d{1,9})[ \t]*(?:;|$)/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), longestWait);
  }
  return 0;
}

/** The ETags of an If-None-Match, quoted, without `W/`: RFC 9110 compares them weakly for reads. */
export const readEtags = (ifNoneMatch: string | null | undefined): string[] =>
  ifNoneMatch?.split(",").map((etag) => etag.trim().replace(/^W\//, "")) ?? [];

/**
 * Whether an If-None-Match has an ETag. `*` matches nothing here: it does not say which response the caller has.
 */
export const includesEtag = (ifNoneMatch: readonly string[], etag: string): boolean =>
  ifNoneMatch.length > 0 && ifNoneMatch.includes(`"${etag.replace(/^W\//, "")}"`);

/** Quotes an ETag for its header. A weak one begins with `W/`. */
export const printEtag = (etag: string): string =>
  etag.startsWith("W/") ? `W/"${etag.slice(2)}"` : `"${etag}"`;

/**
 * Whether an If-Match allows a change. It compares only the revision, also of weak ETags: a star in between must not fail an
 * edit.
 */
export const matches = (ifMatch: string, revision: string): boolean =>
  ifMatch === "*" || ifMatch.split(",").some((etag) => /^\s*(?:W\/)?"([^".]*)/.exec(etag)?.[1] === revision);

/** The Cache-Control of the response to a read. */
export function cacheControl(
  {
    status,
    immutable,
    html,
  }: { status: number; immutable?: "public" | "private" | undefined; html?: string | undefined },
  isAnonymous: boolean,
): string {
  // A page is only for the person who has its link.
  if ((status >= 300 && status !== 304) || html !== undefined) return "no-store";
  if (immutable === "public") return `public, max-age=${year}, s-maxage=60, immutable`;
  if (immutable === "private") return `private, max-age=${year}, immutable`;
  return isAnonymous ? "public, max-age=0, must-revalidate" : "private, no-cache";
}

/**
 * What a CDN keeps for a year, until it is told to forget it by the key. Others go by Cache-Control. Cloudflare and Akamai read
 * CDN-Cache-Control (RFC 9213) and Cache-Tag, Fastly and Varnish Surrogate-Control and Surrogate-Key. It is the same for everybody, also
 * for those who send a token: applications share one copy.
 */
export const cdnHeaders = (key: string): Record<string, string> => ({
  "cdn-cache-control": `max-age=${year}`,
  "surrogate-control": `max-age=${year}`,
  "cache-tag": key,
  "surrogate-key": key,
});

/** The Vary of the response to a read. */
export const varyOf = ({ canWait = false }: { canWait?: boolean | undefined }): string =>
  canWait ? "Authorization, Accept, Prefer" : "Authorization, Accept";

/** Status, headers and body of an error response. */
export function printError(
  error: ApiError,
  requestId: string,
  extra: Record<string, string> = {},
): { status: number; headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = {
    "x-request-id": requestId,
    ...noSniff,
    ...corsHeaders,
    "cache-control": "no-store",
    "content-type": "application/json",
    ...extra,
  };
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  const isTemporary = [429, 503].includes(error.status) && error.code !== lastingError;
  if (isTemporary) headers["retry-after"] ??= "5";
  const body: ErrorBody = {
    error: {
      code: error.code,
      message: error.message,
      ...(error.details.length > 0 && { details: [...error.details] }),
      requestId,
    },
  };
  return { status: error.status, headers, body: JSON.stringify(body) };
}

/** Makes the response of an error. */
export function respondWithError(
  error: ApiError,
  requestId: string,
  extra?: Record<string, string>,
): Response {
  const { status, headers, body } = printError(error, requestId, extra);
  return new Response(body, { status, headers });
}

// Matches only keys, since a quote inside a JSON string has a backslash before it. And only ours: in what people sent, as
// jsonb prints it, a colon has a space after it and none before.
const counters =
  /"(?<=[{,]\s*")(?:(?:counts|votes)"(?::| : )\{[^}]*\}|(?:downloads|commentCount)"(?::| : )\d+)/g;

/** A printed response without its counters, which change no ETag. */
export const withoutCounters = (json: string): string => json.replace(counters, "");

/** Whether a token with these scopes may do what needs one. */
export const satisfies = (scopes: readonly Scope[], needed: Scope): boolean =>
  scopes.includes(needed) || (needed === "evals:write" && scopes.includes("write"));

/**
 * Checks the rules of fields that need no target.
 * @throws {ApiError} `unauthenticated` or `token_scope`.
 */
export function permitFields(
  rules: { readonly [field: string]: FieldAccess | undefined } | undefined,
  sent: object | undefined,
  caller: { scopes: readonly Scope[] } | null,
): void {
  for (const [name, rule] of Object.entries(rules ?? {})) {
    const value = (sent as Record<string, string | boolean | undefined> | undefined)?.[name];
    if (rule === undefined || value === undefined) continue;
    if (rule.callerFor === value && caller === null) {
      throw apiError("unauthenticated", {
        message: `${name}=${value} needs a token with the scope read.`,
      });
    }
    if (rule.scope && caller && !caller.scopes.includes(rule.scope)) {
      throw apiError("token_scope", { message: `${name} needs a token with the scope ${rule.scope}.` });
    }
  }
}
