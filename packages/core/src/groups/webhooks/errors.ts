import type { ErrorTable } from "../../language/group.ts";

/** The errors that only webhooks have. */
export const webhookErrors = {
  webhook_limit: { status: 409, message: "An account can have at most 20 webhooks. Delete one first." },
  webhook_disabled: { status: 409, message: "This webhook is disabled. Enable it first." },
  webhook_url_refused: { status: 422, message: "A webhook needs an https address on the public internet." },
} as const satisfies ErrorTable;
