import * as z from "zod";
import { type EventName, events } from "../../catalogue/events.ts";
import { id, timestamp } from "../../language/fields.ts";
import { type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";

const eventName = z.enum(Object.keys(events) as EventName[]);

/**
 * `pending` waits for its first or next attempt. `cancelled` gets no more attempts: the webhook was disabled, the event was
 * redelivered, or its prompt turned private or was deleted.
 */
export type DeliveryStatus = "pending" | "succeeded" | "failed" | "cancelled";
export const DeliveryStatus: Schema<DeliveryStatus> = z.enum(["pending", "succeeded", "failed", "cancelled"]);

/** The delivery of an event to a webhook. The response is that of the last attempt. */
export interface DeliverySummary {
  /** The value of the header `Service-Delivery`. */
  id: string;
  webhookId: string;
  /** The `id` of the envelope: the same in every redelivery. */
  eventId: string;
  event: EventName;
  status: DeliveryStatus;
  attempts: number;
  maxAttempts: number;
  nextAttemptAt: string | null;
  responseStatus: number | null;
  responseTimeMs: number | null;
  /** The first 2 KB of the response body. Bytes that are not UTF-8 show as U+FFFD. */
  responseExcerpt: string | null;
  error: string | null;
  /** The delivery that this one repeats. */
  redeliveryOf: string | null;
  createdAt: string;
  completedAt: string | null;
  /**
   * The envelope as it is sent. Lists contain it with `include=payload`. It is without `data` if it was never sent, and may not be any
   * more, since its prompt turned private or was deleted.
   */
  payload?: Record<string, unknown>;
}
const summary = {
  id: id("dlv"),
  webhookId: id("whk"),
  eventId: id("evt"),
  event: eventName,
  status: DeliveryStatus,
  attempts: z.int(),
  maxAttempts: z.int(),
  nextAttemptAt: z.nullable(timestamp),
  responseStatus: z.int().nullable(),
  responseTimeMs: z.int().nullable(),
  responseExcerpt: z.string().nullable(),
  error: z.string().nullable(),
  redeliveryOf: z.nullable(id("dlv")),
  createdAt: timestamp,
  completedAt: z.nullable(timestamp),
};
const payload = z.record(z.string(), z.unknown());
export const DeliverySummary: Schema<DeliverySummary> = z
  .strictObject({ ...summary, payload: payload.optional() })
  .meta({ id: "DeliverySummary" });

/** One attempt to deliver. */
export interface DeliveryAttempt {
  at: string;
  responseStatus: number | null;
  responseTimeMs: number | null;
  error: string | null;
}

/** A delivery with its payload and its attempts, the first one first. */
export interface Delivery extends DeliverySummary {
  payload: Record<string, unknown>;
  attemptLog: DeliveryAttempt[];
}
export const Delivery: Schema<Delivery> = z
  .strictObject({
    ...summary,
    payload,
    attemptLog: z.array(
      z.strictObject({
        at: timestamp,
        responseStatus: z.int().nullable(),
        responseTimeMs: z.int().nullable(),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "Delivery" });

/** Which deliveries to list. */
export interface DeliveriesQuery extends PageQuery {
  /** Only those with this status. */
  status?: DeliveryStatus;
  /** Only those of this event. */
  event?: EventName;
  /** The id of a delivery: returns only newer ones. To follow the log without gaps, send the last id you have seen. */
  after?: string;
  /** The order by time. Default: `desc`, or `asc` with `after`. */
  order?: "desc" | "asc";
  /** Adds the payload to each delivery. */
  include?: "payload";
}
export const DeliveriesQuery: Schema<DeliveriesQuery> = z.strictObject({
  ...pageQuery(),
  status: DeliveryStatus.optional(),
  event: eventName.optional(),
  after: id("dlv").optional(),
  order: z.enum(["desc", "asc"]).optional(),
  include: z.enum(["payload"]).optional(),
});

/** The path of a webhook. */
export interface WebhookPath {
  id: string;
}
export const WebhookPath: Schema<WebhookPath> = z.strictObject({ id: id("whk") });

/** The path of a delivery, below its webhook. */
export interface DeliveryPath extends WebhookPath {
  deliveryId: string;
}
export const DeliveryPath: Schema<DeliveryPath> = z.strictObject({ id: id("whk"), deliveryId: id("dlv") });

export const deliveries = {
  /** Lists the deliveries of a webhook, newest first, of the last 30 days. */
  list: op({
    route: "GET /webhooks/{id}/deliveries",
    access: { auth: "required", scope: "read", on: { webhook: "viewers" } },
    params: WebhookPath,
    query: DeliveriesQuery,
    results: { 200: json(pageOf(DeliverySummary)) },
    errors: ["invalid_cursor"],
  }),
  /** Gets a delivery with its payload and the result of each attempt. */
  get: op({
    route: "GET /webhooks/{id}/deliveries/{deliveryId}",
    access: { auth: "required", scope: "read", on: { webhook: "viewers" } },
    params: DeliveryPath,
    results: { 200: json(Delivery) },
  }),
  /**
   * Sends the same envelope again as a new delivery. If the first is still pending, its remaining attempts are
   * cancelled. Sending a test again counts as a test. An event of another account's prompt is not sent again if the
   * prompt is now private or deleted.
   */
  redeliver: op({
    route: "POST /webhooks/{id}/deliveries/{deliveryId}/redeliver",
    access: { auth: "required", scope: "write", on: { webhook: "viewers" } },
    params: DeliveryPath,
    results: { 202: json(Delivery), 204: empty() },
    errors: ["forbidden", "webhook_disabled"],
    rate: { policy: "ping", byHandler: true },
  }),
};
