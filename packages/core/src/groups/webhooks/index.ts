export * from "./deliveries.ts";
export type { DisabledWebhook } from "./notifications.ts";
export * from "./webhooks.ts";
