import { maxConnections, maxWaiting } from "../http/http-server.ts";
import { longestWait, maxDepth, maxValues } from "@promptreg/core/wire";
import { readTimeoutMs } from "../http/outgoing.ts";
import { maxHeldBytes, maxHeldOfAll, smallBytes } from "../http/holdings.ts";
import { turnsOfAddress } from "../http/turns.ts";
import type { Header, Parameter } from "./shape.ts";

const inMebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;

/** What holds for all operations, as the document begins; Markdown of paragraphs, headings and code alone. */
export const introduction = `Requests and answers are JSON unless an operation says otherwise. Every time is ISO 8601 in UTC. Answers may gain fields at any time: ignore those you do not know. Requests are read strictly: an unknown field or query parameter is refused, so that a typo cannot pass unseen. So is a body where an operation takes none. A JSON body has at most ${maxDepth} levels and ${maxValues.toLocaleString("en")} values.

## Tokens

Send \`Authorization: Bearer prt_…\`. A token has the scopes \`read\`, \`write\` or \`evals:write\`. Each operation names the scope that it needs. If you may not see something, the answer is 404, as if it did not exist. If the answer to a change shows more than the request sent, a token with \`write\` but without \`read\` gets 204 instead.

A token can be restricted to some prompts of its account, to some labels, and to adding nothing. The operations that it can use have \`x-restricted\`; to any other it is refused with \`token_scope\`, or reads what everybody can read. \`GET /me\` says what it is restricted to.

## Lists

A list comes in pages: \`items\`, and \`nextCursor\` for the next page, which is null after the last. Send it back as \`cursor\` with the same filters. \`limit\` is the most items you want on a page.

## Addresses that changed

The old address of a renamed prompt or account keeps working. Reads answer 301 and everything else 308, with the new address in \`Location\`. Nobody else ever gets the old address.

## Errors

Every error has a \`code\` for programs, a \`message\` for people and a \`requestId\`, which is also in \`X-Request-Id\`. To choose the id yourself, send \`X-Request-Id\` with 8 to 128 letters, digits, \`.\`, \`_\` or \`-\`. A request that is not valid HTTP answers \`malformed_request\`, \`request_timeout\`, \`expectation_failed\` or \`headers_too_large\`, and its connection is closed.

## Caching

Reads have an \`ETag\`. Send it back in \`If-None-Match\`: if nothing changed, the answer is 304 without a body. Send it in \`If-Match\` with a change: if somebody else changed the thing first, the answer is 412. A pinned version never changes. You may keep it for a year.

## Waiting for a change

Some reads take \`Prefer: wait=30\` (RFC 7240) with \`If-None-Match\`. If nothing changed, the answer comes when something does, or is 304 after at most so many seconds, and at most ${longestWait}: a little earlier, so that not all who wait come back together. \`Preference-Applied\` says that the server may have waited. Permission is checked again before an answer, so it can be any that the read has. A 304 comes early if the server stops: send the request again. While it waits, a request counts against the limits like any other; a 304 then gives that back.

## Limits

Requests are counted for each address and for each token. \`RateLimit\` and \`RateLimit-Policy\` tell of the limit that you are closest to: \`r\` more requests pass, and the count starts again in \`t\` seconds. Over a limit the answer is 429. \`Retry-After\` says when to retry. A 304 does not count where the ETag alone decides it, as for a prompt or a version. A 304 of a list, or for \`If-None-Match: *\`, counts like a full answer.

The server keeps an answer in memory until you have read it, and a body until you have sent all of it. When these reach ${inMebibytes(maxHeldBytes)} for one address, its requests answer 429. When they reach ${inMebibytes(maxHeldOfAll)} for all addresses together, large answers are 503. If you read less than ${smallBytes / 1024} KiB in ${readTimeoutMs / 1000} seconds, the server closes the connection. An address can have ${maxConnections} connections. On each, ${maxWaiting} requests can wait for the one before them. The server works on ${turnsOfAddress} requests of an address at once. More wait, and answer 429 if they wait too long.

## Pages in a browser

Pages of any origin may call the API, with a token in \`Authorization\` and without cookies.

## Idempotency

Give a POST an \`Idempotency-Key\` of your own, unless it is an upload. If you send it again within 24 hours, nothing is done twice: you get the first answer again, with \`Idempotency-Replayed: true\`.`;

/** How to use a token. */
export const tokenDescription =
  "A token begins with `prt_` and has some of the scopes `read`, `write` and `evals:write`. `write` includes `evals:write`; no other scope includes another.";

/** How events arrive. */
export const deliveries =
  "What this server POSTs to webhooks. Check `Service-Signature` over the raw body before you parse it, and refuse a `t` more than 300 seconds away. Answer with any 2xx within 10 seconds. Otherwise the delivery is retried, up to eight attempts over about 24 hours. An event can arrive twice and out of order: its `id` stays the same, and `createdAt` says when it happened.";

const text = (description: string): Header => ({ description, schema: { type: "string" } });

/** The headers of answers, by name. */
export const headers: Record<string, Header> = {
  "X-Request-Id": text("The id of this request: your own if you sent a valid one."),
  ETag: text("Identifies this answer, for `If-None-Match` and `If-Match`."),
  "Cache-Control": text("How long the answer may be kept, and by whom."),
  Location: text("The address to read it at."),
  "X-Format-Warning": text(
    "What the format leaves out, or what runs commands; only if there is something to say.",
  ),
  "Preference-Applied": text("`wait=30` if the server may have waited for a change; otherwise absent."),
  "Idempotency-Replayed": {
    description:
      "`true` if this is the answer of an earlier request with the same `Idempotency-Key`. Otherwise absent.",
    schema: { const: "true" },
  },
  "WWW-Authenticate": text("Always `Bearer`."),
  RateLimit: text(
    'The limit that you are closest to, as `"read";r=5998;t=42`: requests left, and seconds until the count starts again.',
  ),
  "RateLimit-Policy": text(
    'The same limit in full, as `"read";q=6000;w=60`: requests, and seconds of its window.',
  ),
  "Retry-After": { description: "Seconds to wait before you retry.", schema: { type: "integer" } },
};

const header = (name: string, description: string, maxLength?: number): Parameter => ({
  name,
  in: "header",
  description,
  schema: { type: "string", ...(maxLength !== undefined && { maxLength }) },
});

/** The headers of requests, by name. */
export const parameters: Record<string, Parameter> = {
  "If-None-Match": header(
    "If-None-Match",
    "The `ETag` of the answer you have. If nothing changed, the answer is 304.",
  ),
  Prefer: header(
    "Prefer",
    "`wait=30`: with `If-None-Match`, how many seconds to wait for a change before the answer is 304.",
  ),
  "If-Match": header("If-Match", "The `ETag` you read. If it changed since, the answer is 412."),
  "Idempotency-Key": header(
    "Idempotency-Key",
    "Any text of your own that names this request. A request sent again with it is done once.",
    255,
  ),
};
