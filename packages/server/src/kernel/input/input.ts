import { createHash } from "node:crypto";
import { json, mediaList, type Operation, type RequestMedium } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import { boundJson, parse, readPairs } from "@promptreg/core/wire";
import type { Context } from "hono";
import * as z from "zod";
import { headerOf, incomingOf } from "../http/header.ts";
import { readMultipart } from "./multipart.ts";

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    reader.releaseLock();
  }
}

/**
 * The body in chunks. From Node if possible: it joins small chunks, while a body sent byte by byte takes seconds through
 * fetch, and fetch has no body for a GET. The connection stays open if reading stops early.
 */
function piecesOf(c: Context): AsyncIterable<Uint8Array> | readonly Uint8Array[] {
  const incoming = incomingOf(c);
  if (incoming) return incoming.iterator({ destroyOnReturn: false });
  const { body } = c.req.raw;
  return body ? chunksOf(body) : [];
}

/** Where bodies go while they are read. */
export interface Intake {
  /** Counts memory. @throws {ApiError} if so many more bytes exceed what there is. */
  take(bytes: number): void;
  /** The folder for files of forms. */
  spoolFolder: string;
}

/** Counts the chunks of a body. Stops at the limit, whatever the headers said. */
function countChunks(c: Context, maxBytes: number, intake: Intake): (chunk: Uint8Array) => void {
  // Made only if needed: its stack trace costs as much as reading a small body.
  const tooLarge = () =>
    apiError("payload_too_large", { message: `The request body is over ${maxBytes} bytes.` });
  if (Number(headerOf(c, "content-length") ?? 0) > maxBytes) throw tooLarge();
  let size = 0;
  return ({ length }) => {
    size += length;
    if (size > maxBytes) throw tooLarge();
    intake.take(length);
  };
}

/** The client disconnected: not a failure of ours, and nobody reads the response. */
const orEndedEarly = (c: Context, error: unknown) =>
  incomingOf(c)?.errored ? apiError("invalid_json", { message: "The request body ended early." }) : error;

async function readBytes(c: Context, maxBytes: number, intake: Intake): Promise<Buffer> {
  const count = countChunks(c, maxBytes, intake);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of piecesOf(c)) {
      count(chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    throw orEndedEarly(c, error);
  }
  return Buffer.concat(chunks);
}

/** A text while it is received, and the digest of its bytes after its end. */
function streamText(c: Context, maxBytes: number, intake: Intake) {
  const count = countChunks(c, maxBytes, intake);
  const digest = createHash("sha256");
  let isRead = false;
  async function* body(): AsyncGenerator<string> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    try {
      for await (const chunk of piecesOf(c)) {
        count(chunk);
        digest.update(chunk);
        yield readText(chunk, decoder, { isLast: false });
      }
    } catch (error) {
      throw orEndedEarly(c, error);
    }
    yield readText(new Uint8Array(), decoder);
    isRead = true;
  }
  return {
    body: body(),
    digest: () => {
      if (!isRead) throw new Error("a handler did not read its text to the end");
      return digest.digest();
    },
  };
}

/** Whether a request has no body. */
export const hasNoContent = (c: Context): boolean =>
  (headerOf(c, "content-length") ?? "0") === "0" && headerOf(c, "transfer-encoding") === undefined;

function parseJson(bytes: Uint8Array): unknown {
  boundJson(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw apiError("invalid_json", {
      message: `The request body is not valid JSON: ${(error as Error).message}.`,
    });
  }
}

function readText(
  bytes: Uint8Array,
  decoder = new TextDecoder("utf-8", { fatal: true }),
  { isLast = true } = {},
): string {
  try {
    return decoder.decode(bytes, { stream: !isLast });
  } catch {
    throw invalid("", "The request body is not text in UTF-8.");
  }
}

/** A body as its handler gets it. */
export interface ReadBody {
  body: unknown;
  /** Its media type; empty without a body. */
  bodyType: string;
  /** Whether it was received whole. A text is received while its handler reads it. */
  isComplete: boolean;
  /** The SHA-256 of its bytes, unless it is an upload. That of a text is there once the text was read to its end. */
  digest: () => Buffer;
  /** Deletes the files of the body. */
  discard: () => Promise<void>;
}

const held = (bodyType: string, body: unknown, raw: Uint8Array = new Uint8Array()): ReadBody => ({
  body,
  bodyType,
  isComplete: true,
  digest: () => createHash("sha256").update(raw).digest(),
  discard: async () => {},
});

const nothing = json(z.strictObject({}));

/**
 * Refuses the body of an operation that takes none, as unknown fields. An empty object passes.
 * @throws {ApiError} as `readBody` does.
 */
export async function refuseContent(c: Context, intake: Intake): Promise<void> {
  if (!hasNoContent(c)) await readBody(c, nothing, intake);
}

/**
 * Reads the body of a request in the medium that its content type names.
 * @throws {ApiError} `unsupported_media_type`, `payload_too_large`, `invalid_json` or `validation_failed`.
 */
export async function readBody(
  c: Context,
  declared: RequestMedium | readonly RequestMedium[] | undefined,
  intake: Intake,
): Promise<ReadBody> {
  const media = mediaList(declared);
  if (media.length === 0) {
    await refuseContent(c, intake);
    return held("", undefined);
  }
  const type = headerOf(c, "content-type")?.split(";")[0]?.trim().toLowerCase();
  // No body is the same as an empty object: the schema decides whether that is valid.
  const isSilent = type === undefined && hasNoContent(c);
  const medium = media.find((candidate) => (isSilent ? candidate.kind === "json" : candidate.type === type));
  if (medium === undefined) {
    throw apiError("unsupported_media_type", {
      message: `Send this as ${media.map((candidate) => candidate.type).join(" or ")}.`,
    });
  }
  switch (medium.kind) {
    case "json": {
      const raw = isSilent ? Buffer.from("{}") : await readBytes(c, medium.maxBytes, intake);
      return held(medium.type, parse(medium.schema, parseJson(raw)), raw);
    }
    case "text":
      return {
        ...held(medium.type, undefined),
        isComplete: false,
        ...streamText(c, medium.maxBytes, intake),
      };
    case "form": {
      const raw = await readBytes(c, medium.maxBytes, intake);
      return held(medium.type, parse(medium.schema, readPairs(readText(raw))), raw);
    }
    case "bytes":
      return held(medium.type, await readBytes(c, medium.maxBytes, intake));
    case "multipart":
    default: {
      const { body, discard } = await readMultipart(
        { contentType: headerOf(c, "content-type") ?? "", pieces: piecesOf(c) },
        medium,
        intake.spoolFolder,
      );
      return { ...held(medium.type, body), discard };
    }
  }
}

/** The media types of an operation's responses; the first is the default. */
export const responseTypes = ({ results }: Operation): string[] =>
  Object.values(results).flatMap((media) =>
    mediaList(media).flatMap((medium) => ("type" in medium ? [medium.type] : [])),
  );
