import { hash } from "node:crypto";
import { ApiError, apiError } from "@promptreg/core/errors";
import { asNamed, cacheControl, isHeld, printTag, sharing } from "@promptreg/core/wire";
import postgres from "postgres";
import type { Meter } from "./meter.ts";
import { etagOfContent } from "./etag.ts";

/** A reply as handlers of any operation give it. */
export interface AnyReply {
  status: number;
  json?: unknown;
  once?: object;
  text?: string;
  bytes?: ReadableStream<Uint8Array>;
  html?: string;
  style?: string;
  type?: string;
  filename?: string;
  etag?: string | null;
  revision?: string | undefined;
  location?: string;
  immutable?: "public" | "private";
  subject?: object;
}

/** Whether a shared cache may hand an answer to others than its caller, whom the fields of the limits are for. */
export const isShared = (cacheControl: string | null | undefined): boolean =>
  cacheControl?.startsWith("public") === true;

const withLimits = (headers: Record<string, string>, meter: Meter | null) =>
  isShared(headers["cache-control"]) ? headers : Object.assign(headers, meter?.fields());

/** The text of a JSON answer. */
export const printed = ({ json, once }: AnyReply): string =>
  typeof json === "string" ? json : JSON.stringify({ ...(json as object), ...once });

/** Turns a reply into the answer on the wire; a caller who holds it already gets a 304. */
export function respond(
  reply: AnyReply,
  request: {
    id: string;
    accept: string;
    isRead: boolean;
    isAnonymous: boolean;
    held: readonly string[];
    meter: Meter | null;
    /** Throws where those who asked before have read too little. */
    admit: (bytes: number) => void;
  },
): Response {
  const headers: Record<string, string> = { "x-request-id": request.id, ...asNamed, ...sharing };
  if (request.isRead) {
    headers["cache-control"] = cacheControl(reply, request.isAnonymous);
    headers["vary"] = "Authorization, Accept";
  } else headers["cache-control"] = "no-store";
  if (reply.location !== undefined) headers["location"] = reply.location;
  const body = reply.json === undefined ? "" : printed(reply);
  const isContent = reply.etag === undefined && request.isRead && body !== "";
  const etag = isContent ? etagOfContent(body, reply.revision) : reply.etag;
  if (etag !== undefined && etag !== null) {
    headers["etag"] = printTag(etag);
    const { held } = request;
    if (reply.status === 304 || (request.isRead && (held.includes("*") || isHeld(held, etag)))) {
      // Whoever made the bytes holds a file or a connection for them.
      reply.bytes?.cancel().catch(() => {});
      // What was made in vain has cost as much as what is sent.
      if (reply.status === 304) request.meter?.giveBack();
      return new Response(null, { status: 304, headers: withLimits(headers, request.meter) });
    }
  }
  // A change was made by now, and its answer says so.
  if (request.isRead) request.admit((reply.text ?? body).length);
  withLimits(headers, request.meter);
  if (reply.json !== undefined) {
    headers["content-type"] = "application/json";
    return new Response(body, { status: reply.status, headers });
  }
  if (reply.text !== undefined) {
    headers["content-type"] = `${reply.type ?? request.accept}; charset=utf-8`;
    return new Response(reply.text, { status: reply.status, headers });
  }
  if (reply.html !== undefined) {
    Object.assign(headers, pageHeaders(reply.style));
    return new Response(reply.html, { status: reply.status, headers });
  }
  if (reply.bytes !== undefined) {
    headers["content-type"] = reply.type ?? request.accept;
    if (reply.filename !== undefined) {
      // RFC 8187 lets fewer characters stand than URLs do.
      const name = encodeURIComponent(reply.filename).replace(
        /['()*]/g,
        (c) => `%${c.charCodeAt(0).toString(16)}`,
      );
      headers["content-disposition"] = `attachment; filename*=UTF-8''${name}`;
    }
  }
  return new Response(reply.bytes ?? null, { status: reply.status, headers });
}

/** Of a page that runs nothing, loads nothing, tells nobody its address, and is not to be found. */
const pageHeaders = (style: string | undefined) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `style-src ${style === undefined ? "'none'" : `'sha256-${hash("sha256", style, "base64")}'`}`,
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
});

/** SQLSTATE classes and postgres.js codes that mean: the database is away, starting, full, overloaded or read-only. */
const isAway = (code: string) =>
  /^(08|53|57|25006)/.test(code) || /^(CONNECT|CONNECTION_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/.test(code);
/** Text that no column can hold: NUL, or bytes that are no UTF-8. */
const isUnstorable = (code: string) => code === "22021" || code === "22P05";

/** Says what any failure is to the caller; what it does not know is an internal error, and no detail leaks. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code =
    error instanceof postgres.PostgresError ? error.code : (error as { code?: unknown } | null)?.code;
  // Whatever ends a session, or does not let one begin, is no fault of the request.
  if (error instanceof postgres.PostgresError && /^(FATAL|PANIC)$/.test(error.severity)) {
    return apiError("unavailable");
  }
  if (typeof code === "string") {
    if (isAway(code)) return apiError("unavailable");
    if (isUnstorable(code))
      return apiError("validation_failed", { message: "Text must be Unicode without NUL." });
  }
  return apiError("internal_error");
}
