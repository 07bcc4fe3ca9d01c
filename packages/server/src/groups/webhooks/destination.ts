import { apiError } from "@promptreg/core/errors";
import { type AddressPolicy, checkUrl, hostOf } from "../../kernel/reach/addresses.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { ReachError, type Resolve, resolveAllowed } from "../../kernel/reach/resolve.ts";

/**
 * Checks where a webhook would be sent, by its text and by what its name resolves to now, and gives the URL in its
 * normal form. Every delivery checks again. Only tests say how to resolve.
 * @throws {ApiError} `webhook_url_refused`, with the reason.
 */
export async function checkDestination(
  text: string,
  {
    allowUnsafeWebhooks: allowUnsafe,
    webhookReach,
  }: Pick<ServerContext, "allowUnsafeWebhooks" | "webhookReach">,
  resolve?: Resolve,
): Promise<string> {
  const policy: AddressPolicy = { allowUnsafe, opened: webhookReach.opened };
  const { url, problem } = checkUrl(text, policy);
  if (problem !== undefined) throw refused(problem);
  try {
    await resolveAllowed(hostOf(url), { ...policy, resolve });
    return url.href;
  } catch (error) {
    if (error instanceof ReachError) throw refused(error.message);
    throw error;
  }
}

const refused = (message: string) =>
  apiError("webhook_url_refused", { message, details: [{ path: "/url", code: "custom", message }] });
