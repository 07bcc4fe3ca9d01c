import type { Access } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { satisfies } from "@promptreg/core/wire";
import type { Caller } from "./caller.ts";
import { refuseClosed } from "./restriction.ts";

/**
 * Decides whether a token may use an operation at all. Null: serve the request as anonymous.
 * @throws {ApiError} `invalid_token`, `unauthenticated`, `token_scope` or `account_suspended`.
 */
export function admit(
  { auth, scope, restricted }: Access,
  { credential, caller, isWrite }: { credential: Buffer | null; caller: Caller | null; isWrite: boolean },
): Caller | null {
  if (credential !== null && caller === null) throw apiError("invalid_token");
  if (caller === null) {
    if (auth === "required") throw apiError("unauthenticated");
    return null;
  }
  if (scope !== "none" && !satisfies(caller.scopes, scope)) {
    // Public things must stay readable with any token.
    if (auth === "optional") return null;
    throw apiError("token_scope", {
      message: `This token lacks the scope ${scope}. Use a token that has it.`,
    });
  }
  const closed = refuseClosed(caller, restricted);
  if (closed && auth === "optional") return null;
  if (closed) throw closed;
  if (isWrite && caller.isSuspended) throw apiError("account_suspended");
  return caller;
}
