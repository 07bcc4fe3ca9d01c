import { maxConnections, maxWaiting } from "../http-server.ts";
import { maxDepth, maxValues } from "../json-bounds.ts";
import { patienceMs } from "../outgoing.ts";
import { maxHeldBytes, maxHeldOfAll, smallBytes } from "../holdings.ts";
import { turnsOfAddress } from "../turns.ts";
import type { Header, Parameter } from "./shape.ts";

const inMebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;

/** What holds for all operations, as the document begins; Markdown of paragraphs, headings and code alone. */
export const introduction = `Everything is JSON unless an operation says otherwise, and every time is ISO 8601 in UTC. Answers may gain fields at any time: ignore those you do not know. Requests are read strictly: an unknown field or query parameter is refused, so that a typo cannot pass unseen, and so is a body where an operation takes none. A body of JSON is at most ${maxDepth} levels deep and holds at most ${maxValues.toLocaleString("en")} values.

## Tokens

Send \`Authorization: Bearer prt_…\`. A token holds the scopes \`read\`, \`write\` or \`evals:write\`, and each operation names the one that it needs. What you may not see answers 404, just as what does not exist. A token with \`write\` and without \`read\` is told that a change was made, 204, where the answer would show what it neither sent nor may read.

## Lists

Lists come in parts: \`items\`, and \`nextCursor\` for the next part, null after the last. Send it back as \`cursor\` with the same filters. \`limit\` says how many items you want at most.

## Addresses that changed

A prompt or an account that was renamed is still found where it was: reads answer 301 and everything else 308, with the new address in \`Location\`. Nobody else is ever given the old one.

## Errors

Every error has a \`code\` for programs, a \`message\` for people and a \`requestId\`, which is also in \`X-Request-Id\`. Send your own \`X-Request-Id\` of 8 to 128 letters, digits, \`.\`, \`_\` or \`-\`, and it is used instead. What cannot be read as a request of HTTP at all answers \`malformed_request\`, \`request_timeout\`, \`expectation_failed\` or \`headers_too_large\`, and its connection is closed.

## Caching

Reads carry an \`ETag\`: send it back in \`If-None-Match\`, and what has not changed answers 304 without a body. Changes take it in \`If-Match\` and are refused with 412 when someone was quicker. A pinned version never changes and may be kept for a year.

## Limits

Requests are counted for each address and for each token. \`RateLimit\` and \`RateLimit-Policy\` tell of the limit that is nearest: \`r\` more requests pass, and \`t\` seconds from now they count anew. Over a limit the answer is 429, and \`Retry-After\` says when to come again. A 304 costs nothing where the tag alone decides it, as for a prompt or a version; one of a list, or for \`If-None-Match: *\`, counts like the answer it stands for.

Answers that you ask for and do not read, and bodies that you do not send to their end, are held for you. From ${inMebibytes(maxHeldBytes)} on for one address its requests answer 429, and from ${inMebibytes(maxHeldOfAll)} on for all together large answers are 503. Whoever takes less than ${smallBytes / 1024} KiB in ${patienceMs / 1000} seconds is cut off. An address has at most ${maxConnections} connections, and on each of them at most ${maxWaiting} requests wait for the one before them. So many requests of an address are worked on at once: ${turnsOfAddress}. More wait for their turn, and answer 429 when it does not come in time.

## Pages in a browser

Pages of any origin may call, with a token in \`Authorization\` and without cookies.

## Doing it once

Give a POST an \`Idempotency-Key\` of your own, and sending it again within 24 hours answers what the first one did, with \`Idempotency-Replayed: true\`, instead of doing it twice.`;

/** How to hold a token. */
export const tokenDescription =
  "A token begins with `prt_` and holds some of the scopes `read`, `write` and `evals:write`. `write` meets `evals:write` too; no other scope implies another.";

/** How events arrive. */
export const deliveries =
  "What this server POSTs to webhooks. Check `Service-Signature` over the raw body before you parse it, and refuse a `t` more than 300 seconds away. Answer with any 2xx within 10 seconds, or the delivery is tried again, eight times in all over about 24 hours. An event can arrive twice and out of order: its `id` stays the same, and `createdAt` says when it happened.";

const text = (description: string): Header => ({ description, schema: { type: "string" } });

/** The headers of answers, by name. */
export const headers: Record<string, Header> = {
  "X-Request-Id": text("The id of this request; your own where you sent one of the right form."),
  ETag: text("What identifies this answer, for `If-None-Match` and `If-Match`."),
  "Cache-Control": text("How long the answer may be kept, and by whom."),
  Location: text("Where it can be read."),
  "Idempotency-Replayed": {
    description:
      "There, and `true`, when the answer is that of an earlier request with the same `Idempotency-Key`.",
    schema: { const: "true" },
  },
  "WWW-Authenticate": text("Always `Bearer`."),
  RateLimit: text(
    'The limit that is nearest, as `"read";r=5998;t=42`: requests that pass, and seconds until they count anew.',
  ),
  "RateLimit-Policy": text(
    'That limit whole, as `"read";q=6000;w=60`: requests, and the seconds of its window.',
  ),
  "Retry-After": { description: "Seconds until it is worth another try.", schema: { type: "integer" } },
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
    "The `ETag` you hold: an answer that has not changed comes as a 304.",
  ),
  "If-Match": header("If-Match", "The `ETag` you read: refused with 412 when it has changed since."),
  "Idempotency-Key": header(
    "Idempotency-Key",
    "Any text of your own that names this request: sent again, it is done once.",
    255,
  ),
};
