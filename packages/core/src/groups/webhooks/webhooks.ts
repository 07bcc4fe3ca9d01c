import * as z from "zod";
import type { WatchLevel } from "../../event.ts";
import { type EventName, events as eventCatalogue } from "../../events.ts";
import { id, plainText, ref, timestamp } from "../../fields.ts";
import { json, op, type Schema } from "../../operation.ts";

export type SubscribableEvent = Exclude<EventName, "ping">;
export const subscribableEvents = (Object.keys(eventCatalogue) as EventName[]).filter(
  (name) => eventCatalogue[name].isSubscribable,
) as SubscribableEvent[];

/** Where events of an account are sent. */
export interface Webhook {
  id: string;
  url: string;
  /** Null means all that can be subscribed, future ones included. */
  events: SubscribableEvent[] | null;
  /** `owner/slug` of each; null means no filter. */
  prompts: string[] | null;
  description: string | null;
  active: boolean;
  status: "active" | "disabled";
  disabledReason: "owner" | "failures" | null;
  consecutiveFailures: number;
  /** The last four characters of the secret. */
  secretHint: string;
  lastDeliveryAt: string | null;
  lastSuccessAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** The signing secret; shown in the answer that made it, and never again. */
  secret?: string;
}
export const Webhook: Schema<Webhook> = z
  .strictObject({
    id: id("whk"),
    url: z.string(),
    events: z.array(z.enum(subscribableEvents)).nullable(),
    prompts: z.array(ref).nullable(),
    description: z.string().nullable(),
    active: z.boolean(),
    status: z.enum(["active", "disabled"]),
    disabledReason: z.enum(["owner", "failures"]).nullable(),
    consecutiveFailures: z.int(),
    secretHint: z.string(),
    lastDeliveryAt: z.nullable(timestamp),
    lastSuccessAt: z.nullable(timestamp),
    createdAt: timestamp,
    updatedAt: timestamp,
    secret: z.string().optional(),
  })
  .meta({ id: "Webhook" });

export interface CreateWebhook {
  /** https, on the public internet, without credentials. */
  url: string;
  /** All that can be subscribed, when absent. */
  events?: SubscribableEvent[];
  /** 1 to 50 prompts, each owned or watched by the account. */
  prompts?: string[] | null;
  description?: string | null;
  /** True when absent. */
  active?: boolean;
}
export const CreateWebhook: Schema<CreateWebhook> = z
  .strictObject({
    url: z.string().max(2048),
    events: z.array(z.enum(subscribableEvents)).min(1).max(50).optional(),
    prompts: z.array(ref).min(1).max(50).nullish(),
    description: plainText({ max: 280 }).nullish(),
    active: z.boolean().optional(),
  })
  .meta({ id: "CreateWebhook" });

/** One kind of event, for people who choose what to subscribe to. */
export interface EventDescription {
  name: EventName;
  description: string;
  subscribable: boolean;
  watchLevels: WatchLevel[];
  /** A whole delivery body. */
  example: Record<string, unknown>;
}
export interface EventCatalogue {
  items: EventDescription[];
  nextCursor: null;
}
export const EventCatalogue: Schema<EventCatalogue> = z
  .strictObject({
    items: z.array(
      z.strictObject({
        name: z.enum(Object.keys(eventCatalogue) as EventName[]),
        description: z.string(),
        subscribable: z.boolean(),
        watchLevels: z.array(z.enum(["releases", "all"])),
        example: z.record(z.string(), z.unknown()),
      }),
    ),
    nextCursor: z.null(),
  })
  .meta({ id: "EventCatalogue" });

export const webhooks = {
  /** Creates a webhook. The answer holds its signing secret, this once. */
  create: op({
    route: "POST /webhooks",
    access: { auth: "required", scope: "write" },
    body: json(CreateWebhook),
    results: { 201: json(Webhook) },
    errors: ["webhook_limit", "webhook_url_refused"],
  }),
  /** Lists the events that can be received, with their descriptions and an example of each. */
  events: op({
    route: "GET /webhooks/events",
    access: { auth: "required", scope: "read" },
    results: { 200: json(EventCatalogue) },
  }),
};
