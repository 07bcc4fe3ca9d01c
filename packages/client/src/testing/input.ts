import { apiError, invalid, type Json, mediaList, type Operation, type Text } from "@promptreg/core";
import type { CalledOperation } from "@promptreg/core/testing";
import { boundJson, parse, pointer, readQuery, satisfies } from "@promptreg/core/wire";
import type { Caller } from "./world.ts";

/** @throws {ApiError} `invalid_token` if the token is malformed. */
export function readToken(authorization: string | null): string | null {
  if (authorization === null) return null;
  const [, token] = /^bearer +(prt_[0-9A-Za-z]{42})$/i.exec(authorization) ?? [];
  if (token === undefined) throw apiError("invalid_token");
  return token;
}

/** A malformed path parameter gives 404, since it names nothing that could exist. */
export function readParams({ operation, params }: CalledOperation): unknown {
  if (operation.params === undefined) return {};
  const parsed = operation.params.safeParse(params);
  if (!parsed.success) throw apiError("not_found");
  return parsed.data;
}

/** @throws {ApiError} if the request has a query. */
export function refuseQuery(url: string): object {
  const [name] = Object.keys(readQuery(url));
  if (name === undefined) return {};
  throw apiError("validation_failed", {
    message: `This operation takes no query parameter "${name}".`,
    details: [{ path: pointer([name]), code: "unrecognized_keys", message: "unknown query parameter" }],
  });
}

/** @throws {ApiError} `invalid_token`, `unauthenticated` or `token_scope`. */
export function admit(
  { access: { auth, scope } }: Operation,
  caller: Caller | "unknown" | null,
): Caller | null {
  if (caller === "unknown") throw apiError("invalid_token");
  if (caller === null) {
    if (auth === "required") throw apiError("unauthenticated");
    return null;
  }
  if (scope === "none" || satisfies(caller.scopes, scope)) return caller;
  // A token without the scope must not make a public page unreadable.
  if (auth === "optional") return null;
  throw apiError("token_scope", { message: `This token lacks the scope ${scope}. Use a token that has it.` });
}

/** @throws {ApiError} `unsupported_media_type`, `payload_too_large`, `invalid_json` or `validation_failed`. */
export async function readBody(
  operation: Operation,
  request: Request,
): Promise<{ body: unknown; raw: string; type?: string }> {
  const media = mediaList(operation.body) as (Json<unknown> | Text)[];
  if (media.length === 0) return { body: undefined, raw: "" };
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const medium = media.find((one) => (type === undefined ? one.kind === "json" : one.type === type));
  if (medium === undefined) {
    const types = media.map((one) => one.type);
    throw apiError("unsupported_media_type", { message: `Send this as ${types.join(" or ")}.` });
  }
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > medium.maxBytes) {
    throw apiError("payload_too_large", { message: `The request body is over ${medium.maxBytes} bytes.` });
  }
  // A missing body is the same as an empty object.
  if (medium.kind === "text") {
    const text = readText(bytes);
    return { body: text, raw: text, type: medium.type };
  }
  const sent = type === undefined ? new TextEncoder().encode("{}") : bytes;
  return { body: parse(medium.schema, parseJson(sent)), raw: new TextDecoder().decode(sent) };
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("", "The request body is not text in UTF-8.");
  }
}

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
