import type { Client } from "./client.ts";
import { ApiError, apiError } from "@promptreg/core/errors";

/** How the registry answers whoever may not read: it does not say what is private, and what is missing. */
const unseen = ["not_found", "unauthenticated"];

/** The refusal of a token without the scope `read`. */
export const missingReadScope = () =>
  apiError("token_scope", { message: "This token lacks the scope read. Use a token that has it." });

/** Who asks, and where. */
export interface Caller {
  connect: () => Promise<Client>;
  destination: () => Promise<{ url: string; token: string | undefined }>;
  env: Readonly<Record<string, string | undefined>>;
}

/** What is said of an error: "not found" is about the token where there is none, or where it may not read. */
export async function explainUnseen(error: unknown, { connect, destination, env }: Caller): Promise<unknown> {
  if (!(error instanceof ApiError && unseen.includes(error.code))) return error;
  // What a command itself misses in an answer was not hidden.
  if (error.requestId === undefined) return error;
  const { token, url } = await destination();
  if (token === undefined) {
    const isEmpty = env["PROMPTREG_TOKEN"]?.trim() === "";
    const why = isEmpty ? "PROMPTREG_TOKEN is empty." : `No token is set for ${url}.`;
    const message = error.code === "not_found" ? `${error.message} ${why}` : why;
    return new ApiError({
      code: "unauthenticated",
      status: 401,
      message,
      details: [],
      requestId: error.requestId,
    });
  }
  try {
    const { token } = await (await connect()).users.me.get();
    return token.scopes.includes("read") ? error : missingReadScope();
  } catch {
    return error;
  }
}

/** The error that says that something is missing. @throws any other one, and where it may only be hidden: then with the address. */
export async function missing(error: unknown, caller: Caller, address: string): Promise<ApiError> {
  if (!(error instanceof ApiError && ["not_found", "gone"].includes(error.code))) throw error;
  if ((await explainUnseen(error, caller)) === error) return error;
  throw Object.assign(error, { message: `${address}: ${error.message}` });
}
