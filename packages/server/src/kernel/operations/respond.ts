import { hash } from "node:crypto";
import {
  cacheControl,
  cdnHeaders,
  corsHeaders,
  includesEtag,
  noSniff,
  printEtag,
  varyOf,
} from "@promptreg/core/wire";
import { contentDisposition } from "../http/content-disposition.ts";
import type { Traffic } from "../changes/activity.ts";
import type { Meter } from "../rate-limits/meter.ts";
import { etagOfContent } from "./etag.ts";

/** The reply of any operation's handler. */
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
  warnings?: readonly string[];
  etag?: string | null;
  revision?: string | undefined;
  location?: string;
  immutable?: "public" | "private";
  surrogateKey?: string;
  subject?: object;
  names?: readonly string[];
  traffic?: readonly Traffic[];
}

/** Whether a shared cache may give a response to other callers. The headers about limits are only for its own. */
export const isShared = (cacheControl: string | null | undefined): boolean =>
  cacheControl?.startsWith("public") === true;

const withLimits = (headers: Record<string, string>, meter: Meter | null) =>
  isShared(headers["cache-control"]) ? headers : Object.assign(headers, meter?.fields());

/** The text of a JSON response. */
export const printed = ({ json, once }: AnyReply): string =>
  typeof json === "string" ? json : JSON.stringify({ ...(json as object), ...once });

/** Frees the memory, file or connection that the bytes of a reply come from, if nobody will read them. */
export const discard = ({ bytes }: AnyReply): void => void bytes?.cancel().catch(() => {});

/** Makes the response of a reply; 304 if the caller has it already. */
export function respond(
  reply: AnyReply,
  request: {
    id: string;
    accept: string;
    isRead: boolean;
    isAnonymous: boolean;
    canWait: boolean;
    /** Nothing is for all. */
    isForMembers: boolean;
    /** A CDN is told what it must forget. */
    hasCdn: boolean;
    /** The response depends on the Accept header. */
    hasForms: boolean;
    waitSeconds: number | undefined;
    ifNoneMatch: readonly string[];
    meter: Meter | null;
    /** Throws if the address already has too many unread responses. */
    admit: (bytes: number) => void;
  },
): Response {
  const headers: Record<string, string> = { "x-request-id": request.id, ...noSniff, ...corsHeaders };
  if (request.isRead) {
    const { waitSeconds } = request;
    const immutable = reply.immutable && (request.isForMembers ? "private" : reply.immutable);
    headers["cache-control"] = cacheControl(
      { ...reply, immutable },
      request.isAnonymous && waitSeconds === undefined,
    );
    headers["vary"] = varyOf(request);
    if (request.hasCdn && immutable === "public" && reply.surrogateKey !== undefined) {
      Object.assign(headers, cdnHeaders(reply.surrogateKey));
      // One copy for all, also where nobody asks for another form.
      if (request.hasForms) headers["vary"] = "Accept";
      else delete headers["vary"];
    }
    if (waitSeconds !== undefined) headers["preference-applied"] = `wait=${waitSeconds}`;
  } else headers["cache-control"] = "no-store";
  if (reply.location !== undefined) headers["location"] = reply.location;
  const body = reply.json === undefined ? "" : printed(reply);
  const isContent = reply.etag === undefined && request.isRead && body !== "";
  const etag = isContent ? etagOfContent(body, reply.revision) : reply.etag;
  if (etag !== undefined && etag !== null) {
    headers["etag"] = printEtag(etag);
    const { ifNoneMatch } = request;
    if (
      reply.status === 304 ||
      (request.isRead && (ifNoneMatch.includes("*") || includesEtag(ifNoneMatch, etag)))
    ) {
      discard(reply);
      // Only a 304 of the handler is free: a response made in vain cost as much as one that is sent.
      if (reply.status === 304) request.meter?.giveBack();
      return new Response(null, { status: 304, headers: withLimits(headers, request.meter) });
    }
  }
  // Only reads can be refused here: a write has made its change, and must say so. A stream was admitted when it was made.
  if (request.isRead && reply.bytes === undefined) request.admit((reply.text ?? body).length);
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
    if (reply.filename !== undefined)
      headers["content-disposition"] = contentDisposition("attachment", reply.filename);
  }
  if (reply.warnings?.length) headers["x-format-warning"] = asHeader(reply.warnings.join(" "));
  return new Response(reply.bytes ?? null, { status: reply.status, headers });
}

/** A header holds ASCII alone, and few proxies take long ones. */
const asHeader = (text: string): string => text.slice(0, 2_000).replace(/[^\x20-\x7e]+/g, "?");

/** The page runs no scripts, loads nothing, sends no referrer and is not indexed. */
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
