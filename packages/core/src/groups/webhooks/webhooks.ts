import * as z from "zod";
import type { WatchLevel } from "../../language/event.ts";
import { type EventName, events as eventCatalogue } from "../../catalogue/events.ts";
import { id, line, ref, timestamp } from "../../language/fields.ts";
import { type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { Delivery, deliveries, WebhookPath } from "./deliveries.ts";

/** The name of an event that a webhook can subscribe to: all except `ping`. */
export type SubscribableEvent = Exclude<EventName, "ping">;
export const subscribableEvents = (Object.keys(eventCatalogue) as EventName[]).filter(
  (name) => eventCatalogue[name].isSubscribable,
) as SubscribableEvent[];

/** A webhook: the address to which events are sent. */
export interface Webhook {
  id: string;
  url: string;
  /** Null: all events that can be subscribed to, future ones included. */
  events: SubscribableEvent[] | null;
  /** The current `owner/slug` of each prompt that you can still see. Null: no filter. */
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
  /** The signing secret. Only the response that created it contains it. */
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

/** A new webhook. */
export interface CreateWebhook {
  /** https, on the public internet, without credentials. */
  url: string;
  /** Default: all events that can be subscribed to. */
  events?: SubscribableEvent[] | null;
  /** 1 to 50 prompts that you own or watch. Default: no filter. */
  prompts?: string[] | null;
  description?: string | null;
  /** Default: true. */
  active?: boolean;
}
const settings = {
  url: z.string().max(2048),
  events: z.array(z.enum(subscribableEvents)).min(1).max(50).nullish(),
  prompts: z.array(ref).min(1).max(50).nullish(),
  description: line({ max: 280 }).nullish(),
  active: z.boolean().optional(),
};
export const CreateWebhook: Schema<CreateWebhook> = z.strictObject(settings).meta({ id: "CreateWebhook" });

/** Changes to a webhook. Absent fields stay as they are. */
export interface UpdateWebhook extends Partial<CreateWebhook> {
  /**
   * False disables the webhook and cancels waiting deliveries. True enables it again and clears its failures; cancelled
   * deliveries stay cancelled.
   */
  active?: boolean;
  /** True replaces the secret. The old one stops working at once. */
  rotateSecret?: boolean;
}
export const UpdateWebhook: Schema<UpdateWebhook> = z
  .strictObject({ ...settings, url: settings.url.optional(), rotateSecret: z.boolean().optional() })
  .meta({ id: "UpdateWebhook" });

const WebhooksQuery: Schema<PageQuery> = z.strictObject(pageQuery());

/** One kind of event, for people who choose what to subscribe to. */
export interface EventDescription {
  name: EventName;
  description: string;
  subscribable: boolean;
  watchLevels: WatchLevel[];
  /** A complete delivery body. */
  example: Record<string, unknown>;
}
/** All events, on one page. */
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

const reading = { auth: "required", scope: "read", on: { webhook: "viewers" } } as const;
const writing = { auth: "required", scope: "write", on: { webhook: "viewers" } } as const;

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const webhooks = {
  /** Lists your webhooks, newest first. */
  list: op({
    route: "GET /webhooks",
    access: { auth: "required", scope: "read" },
    query: WebhooksQuery,
    results: { 200: json(pageOf(Webhook)) },
    errors: ["invalid_cursor"],
  }),
  /** Creates a webhook. Only this response contains its signing secret. */
  create: op({
    route: "POST /webhooks",
    access: { auth: "required", scope: "write" },
    body: json(CreateWebhook),
    results: { 201: json(Webhook) },
    errors: ["webhook_limit", "webhook_url_refused"],
  }),
  /** Lists the events, each with a description and an example. */
  events: op({
    route: "GET /webhooks/events",
    access: { auth: "required", scope: "read" },
    results: { 200: json(EventCatalogue) },
  }),
  /** Gets a webhook, without its secret. */
  get: op({
    route: "GET /webhooks/{id}",
    access: reading,
    params: WebhookPath,
    results: { 200: json(Webhook) },
  }),
  /**
   * Updates, enables or disables a webhook, or replaces its secret. Only the response that replaced the secret contains
   * it.
   */
  update: op({
    route: "PATCH /webhooks/{id}",
    access: writing,
    params: WebhookPath,
    body: json(UpdateWebhook),
    results: { 200: json(Webhook), 204: empty() },
    errors: ["webhook_url_refused"],
  }),
  /** Deletes a webhook with its delivery log. */
  delete: op({
    route: "DELETE /webhooks/{id}",
    access: writing,
    params: WebhookPath,
    results: { 204: empty() },
  }),
  /** Queues a test delivery, sent once, even to a disabled webhook. Its failure never counts. */
  test: op({
    route: "POST /webhooks/{id}/test",
    access: writing,
    params: WebhookPath,
    results: { 202: json(Delivery), 204: empty() },
    emits: ["ping"],
    rate: { policy: "ping" },
  }),
  deliveries: deliveries as typeof deliveries,
};
