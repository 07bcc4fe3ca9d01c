import type { Client } from "./client.ts";
import { ApiError, apiError } from "@promptreg/core/errors";

/** How the registry answers a token without the scope read: like a request without a token. */
const unseen = ["not_found", "unauthenticated"];

/** The refusal of a token without the scope `read`. */
export const missingReadScope = () =>
  apiError("token_scope", { message: "This token lacks the scope read. Use a token that has it." });

/** The error that ended a command; "not found" becomes "no scope read" where the token has none. */
export async function explainMissingScope(error: unknown, connect: () => Promise<Client>): Promise<unknown> {
  if (!(error instanceof ApiError && unseen.includes(error.code))) return error;
  try {
    const { token } = await (await connect()).users.me.get();
    return token.scopes.includes("read") ? error : missingReadScope();
  } catch {
    return error;
  }
}
