import { createHash } from "node:crypto";
import { MediaPath } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import {
  cdnHeaders,
  corsHeaders,
  includesEtag,
  noSniff,
  readEtags,
  respondWithError,
} from "@promptreg/core/wire";
import type { Context, Hono } from "hono";
import { asApiError } from "../../kernel/failures/as-api-error.ts";
import { withDatabaseTimeout } from "../../kernel/failures/database-timeout.ts";
import { networkOf } from "../../kernel/http/client-address.ts";
import { contentDisposition } from "../../kernel/http/content-disposition.ts";
import { accessOf } from "../../kernel/http/closed.ts";
import { headerOf, requestIdOf } from "../../kernel/http/header.ts";
import { readRange } from "../../kernel/http/ranges.ts";
import { streamed } from "../../kernel/http/streamed.ts";
import { isValidLink } from "../../kernel/media/links.ts";
import { addressOfClient } from "../../kernel/operations/metered.ts";
import { Meter } from "../../kernel/rate-limits/meter.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { LostFileError, StoreError } from "../../kernel/store/store.ts";
import { type Served, selectServed } from "./serve.sql.ts";

/** Serves the bytes of media, beside the API. Their addresses stand in `url` and `thumbnailUrl`. */
export function mountMedia(app: Hono, server: ServerContext): void {
  for (const path of ["/media/:id", "/media/:id/thumbnail"]) app.get(path, (c) => answer(c, server));
}

async function answer(c: Context, server: ServerContext): Promise<Response> {
  const startedAt = performance.now();
  const requestId = requestIdOf(c);
  const network = networkOf(addressOfClient(c, server));
  const meter = server.limiter && new Meter(server.limiter, network);
  const access = accessOf(c);
  if (access) Object.assign(access, { operation: "/media", requestId });
  try {
    meter?.count();
    const response = await serve(c, server, { network, requestId });
    if (response.status === 304) meter?.giveBack();
    return response;
  } catch (error) {
    const known = asApiError(error);
    if (access) access.code = known.code;
    if (known.status >= 500) {
      const ms = Math.round(performance.now() - startedAt);
      const mediaId = c.req.param("id") ?? "";
      server.failures.report(error, { operation: "/media", mediaId, requestId, status: known.status, ms });
    }
    return respondWithError(known, requestId, meter?.fields());
  }
}

async function serve(
  c: Context,
  server: ServerContext,
  { network, requestId }: { network: string; requestId: string },
): Promise<Response> {
  const path = c.req.path;
  const isThumbnail = path.endsWith("/thumbnail");
  const id = MediaPath.safeParse({ id: c.req.param("id") }).data?.id;
  if (id === undefined) throw apiError("not_found");
  const found = await server.turns.take(network, () =>
    withDatabaseTimeout(selectServed(server.sql, { id, isThumbnail, isForMembers: server.isForMembers })),
  );
  // Before all else: an ETag, and what a cache holds, must not outlive the link.
  const isLink = c.req.query("signature") !== undefined;
  if (found === null || !mayRead(c, found, { path, isLink })) throw apiError("not_found");
  const isForAll = !isLink && !server.isForMembers;
  const etag = isThumbnail ? `thumbnail-${found.sha256}` : found.sha256;
  const headers: Record<string, string> = {
    "x-request-id": requestId,
    ...corsHeaders,
    ...noSniff,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
    "cache-control": isForAll ? "public, no-cache" : "private, no-cache",
    ...(isForAll && server.cdn !== null && cdnHeaders(id)),
    etag: `"${etag}"`,
  };
  if (includesEtag(readEtags(headerOf(c, "if-none-match")), etag))
    return new Response(null, { status: 304, headers });
  headers["accept-ranges"] = "bytes";
  headers["content-type"] = found.mediaType;
  headers["content-disposition"] = contentDisposition(
    found.kind === "file" ? "attachment" : "inline",
    found.filename,
  );
  const ifRange = headerOf(c, "if-range");
  const isSame = ifRange === undefined || ifRange === headers["etag"];
  const range = readRange(isSame ? headerOf(c, "range") : undefined, found.size);
  if (range === "unsatisfiable") {
    const extra = { "content-range": `bytes */${found.size}` };
    return respondWithError(apiError("range_not_satisfiable"), requestId, extra);
  }
  const { start, end } = range ?? { start: 0, end: found.size - 1 };
  const length = end - start + 1;
  if (range) headers["content-range"] = `bytes ${start}-${end}/${found.size}`;
  headers["content-length"] = String(length);
  const status = range ? 206 : 200;
  if (c.req.method === "HEAD") return new Response(null, { status, headers });
  const chunks = await server.store.get(found.key, range ?? undefined);
  server.metrics?.countMedia("sent", length);
  return new Response(
    streamed(server, network, {
      holds: Math.min(length, mostHeld),
      onUnread: () => chunks.destroy(),
      chunks: asStored(chunks, {
        key: found.key,
        length,
        sha256: range || isThumbnail ? null : found.sha256,
      }),
    }),
    { status, headers },
  );
}

/**
 * Passes on what a store sends, and fails before its end where that is not what was stored: nobody takes it for the whole then.
 * @throws {StoreError} where the store breaks off, or {LostFileError}.
 */
async function* asStored(
  chunks: AsyncIterable<Buffer>,
  { key, length, sha256 }: { key: string; length: number; sha256: string | null },
): AsyncGenerator<Buffer> {
  const digest = sha256 === null ? null : createHash("sha256");
  let size = 0;
  let last: Buffer | undefined;
  try {
    for await (const chunk of chunks) {
      if (last) yield last;
      last = chunk;
      size += chunk.length;
      digest?.update(chunk);
    }
  } catch (error) {
    throw new StoreError(`the store broke off ${key} after ${size} of ${length} bytes`, { cause: error });
  }
  if (size !== length) throw new LostFileError(`the store has ${size} bytes of ${key} instead of ${length}`);
  if (digest && digest.digest("hex") !== sha256)
    throw new LostFileError(`the store has other bytes under ${key} than were stored`);
  if (last) yield last;
}

/** What a response holds in memory at once: a part that is read, and one that is sent. */
const mostHeld = 1024 * 1024;

function mayRead(
  c: Context,
  { isForAll, secret, nowSeconds }: Served,
  { path, isLink }: { path: string; isLink: boolean },
): boolean {
  if (!isLink) return isForAll;
  const link = { expires: c.req.query("expires") ?? "", signature: c.req.query("signature") ?? "" };
  return isValidLink(link, { path, secret, nowSeconds });
}
