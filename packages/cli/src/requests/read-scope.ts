import type { Client } from "@promptreg/client";
import { ApiError, apiError } from "@promptreg/core/errors";

/** How the registry answers a token that may not read: as it answers whoever has none. */
const unseen = ["not_found", "unauthenticated"];

/** The refusal of a token without the scope `read`. */
export const missingReadScope = () =>
  apiError("token_scope", { message: "This token lacks the scope read. Use a token that has it." });

/** What ended a command: where something was not found because the token may not read, that instead. */
export async function explainMissingScope(error: unknown, connect: () => Promise<Client>): Promise<unknown> {
  if (!(error instanceof ApiError && unseen.includes(error.code))) return error;
  try {
    const { token } = await (await connect()).users.me.get();
    return token.scopes.includes("read") ? error : missingReadScope();
  } catch {
    return error;
  }
}
