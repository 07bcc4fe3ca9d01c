import { noSniff, cacheControl, includesEtag, printEtag, corsHeaders, varyOf } from "@promptreg/core/wire";
import type { AnyReply } from "./handler.ts";
import { etagOfResponse } from "./etag.ts";

/** Turns a reply into a response. A caller whose ETag matches gets a 304. */
export async function respond(
  reply: AnyReply,
  {
    requestId,
    isRead,
    canWait,
    isAnonymous,
    ifNoneMatch,
  }: {
    requestId: string;
    isRead: boolean;
    canWait: boolean;
    isAnonymous: boolean;
    ifNoneMatch: readonly string[];
  },
): Promise<Response> {
  const { status, json, text, location } = reply;
  const headers: Record<string, string> = { "x-request-id": requestId, ...noSniff, ...corsHeaders };
  headers["cache-control"] = isRead ? cacheControl(reply, isAnonymous) : "no-store";
  if (isRead) headers["vary"] = varyOf({ canWait });
  if (location !== undefined) headers["location"] = location;
  const body = json === undefined ? text : JSON.stringify(json);
  const isContent = reply.etag === undefined && isRead && json !== undefined;
  const etag = await (isContent ? etagOfResponse(body ?? "") : reply.etag);
  if (etag !== undefined && etag !== null) {
    headers["etag"] = printEtag(etag);
    if (isRead && (ifNoneMatch.includes("*") || includesEtag(ifNoneMatch, etag))) {
      return new Response(null, { status: 304, headers });
    }
  }
  if (json !== undefined) headers["content-type"] = "application/json";
  else if (text !== undefined) headers["content-type"] = "text/plain; charset=utf-8";
  return new Response(body ?? null, { status, headers });
}
