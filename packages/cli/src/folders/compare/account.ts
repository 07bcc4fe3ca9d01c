import type { Client } from "../../requests/client.ts";
import { missingReadScope } from "../../requests/unseen.ts";

/**
 * Asks once, when it is needed, whose token it is.
 * @throws {ApiError} `token_scope` where it may not read: what it does not find may be there.
 */
export function accountOf(client: Client): () => Promise<string> {
  let handle: Promise<string> | undefined;
  return () => (handle ??= readAccount(client));
}

async function readAccount(client: Client): Promise<string> {
  const { handle, token } = await client.users.me.get();
  if (token.scopes.includes("read")) return handle;
  throw missingReadScope();
}
