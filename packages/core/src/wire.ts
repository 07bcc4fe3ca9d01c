import { type ApiError, apiError, type ErrorBody } from "./errors.ts";

// How requests are read and answers written, by the conventions of all operations: for the server, and for what stands
// in for it in tests.
export { parse, pointer } from "./validate.ts";

const year = 31_536_000;

/** Pages of any origin may call, without cookies, and read these fields of answers beside those that all may. */
export const sharing = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, RateLimit, RateLimit-Policy",
};

/** Nobody is to take an answer for anything but what its content type says. */
export const asNamed = { "x-content-type-options": "nosniff" };

const isOwnId = /^[A-Za-z0-9._-]{8,128}$/;

/** The id of a request: the caller's own where it has the right form, else a new one. */
export const chooseRequestId = (sent: string | string[] | null | undefined): string =>
  typeof sent === "string" && isOwnId.test(sent) ? sent : crypto.randomUUID();

/** The query of a URL as an object: a name that stands once gives its text, one that is repeated a list. */
export function readQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf("?");
  // Links get decorated on their way; every other unknown name is refused by the schema.
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
    throw apiError("validation_failed", { message: "An Idempotency-Key is 1 to 255 printable characters." });
  }
  return key;
}

/** The ETags of an If-None-Match, in their quotes, without `W/`: RFC 9110 compares them weakly for reads. */
export const readTags = (ifNoneMatch: string | null | undefined): string[] =>
  ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];

/**
 * Whether an ETag is among those of an If-None-Match. `*` matches nothing: it does not say which answer the caller has.
 */
export const isHeld = (held: readonly string[], etag: string): boolean =>
  held.length > 0 && held.includes(`"${etag.replace(/^W\//, "")}"`);

/** An ETag as its header has it. A weak one begins with `W/`. */
export const printTag = (etag: string): string =>
  etag.startsWith("W/") ? `W/"${etag.slice(2)}"` : `"${etag}"`;

/** Whether an If-Match lets a change pass: it compares the revision alone, weak tags included, as a star in between must not fail an edit. */
export const matches = (ifMatch: string, revision: string): boolean =>
  ifMatch === "*" || ifMatch.split(",").some((tag) => /^\s*(?:W\/)?"([^".]*)/.exec(tag)?.[1] === revision);

/** For how long and by whom the answer to a read may be kept. */
export function cacheControl(
  {
    status,
    immutable,
    html,
  }: { status: number; immutable?: "public" | "private" | undefined; html?: string | undefined },
  isAnonymous: boolean,
): string {
  // Pages are for whoever holds the link to them.
  if ((status >= 300 && status !== 304) || html !== undefined) return "no-store";
  if (immutable === "public") return `public, max-age=${year}, s-maxage=60, immutable`;
  if (immutable === "private") return `private, max-age=${year}, immutable`;
  return isAnonymous ? "public, max-age=0, must-revalidate" : "private, no-cache";
}

/** An error as it stands on the wire. */
export function printError(
  error: ApiError,
  requestId: string,
  extra: Record<string, string> = {},
): { status: number; headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = {
    "x-request-id": requestId,
    ...asNamed,
    ...sharing,
    "cache-control": "no-store",
    "content-type": "application/json",
    ...extra,
  };
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  if (error.status === 429 || error.status === 503) headers["retry-after"] ??= "5";
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

/** The answer that tells of an error. */
export function respondWithError(
  error: ApiError,
  requestId: string,
  extra?: Record<string, string>,
): Response {
  const { status, headers, body } = printError(error, requestId, extra);
  return new Response(body, { status, headers });
}
