import type { ClientOptions } from "@promptreg/client";
import { ApiError } from "@promptreg/core/errors";

/** Fields that these answers always have. The schemas of the contract take longer to load than a command. */
const fields: Record<string, readonly string[]> = {
  "users.me.get": ["handle", "token"],
  "prompts.get": ["ref"],
  "prompts.create": ["ref"],
  "prompts.diff": ["files", "stats"],
  "prompts.versions.get": ["n"],
  "prompts.versions.create": ["n"],
};
const isList = /\.(list|history)$/;
/** A page may be empty where all of it is hidden, but not page after page. */
const mostEmptyPages = 100;

/**
 * Checks for one client that answers come from a registry, and that its lists end.
 * @throws {ApiError} `unexpected_response`
 */
export function createAnswerCheck(): NonNullable<ClientOptions["validate"]> {
  let emptyPages = 0;
  return (operation, { status }, data) => {
    if (data === undefined) return;
    const answer = Object(data) as Record<string, unknown>;
    const { items, nextCursor } = answer;
    const isPage = Array.isArray(items);
    emptyPages = isPage && items.length === 0 && nextCursor ? emptyPages + 1 : 0;
    const missing = (fields[operation] ?? []).some((field) => !Object.hasOwn(answer, field));
    if (!missing && !(isList.test(operation) && !isPage) && emptyPages <= mostEmptyPages) return;
    const what = emptyPages > mostEmptyPages ? "never ends" : "is not from Promptreg";
    const message = `The answer of ${operation} ${what}. Check the address and any proxy.`;
    throw new ApiError({ code: "unexpected_response", status, message });
  };
}
