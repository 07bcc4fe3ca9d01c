import {
  type EventName,
  events,
  EventPrompt,
  exampleEnvelope,
  handle,
  id,
  type Schema,
  timestamp,
} from "@promptreg/core";
import * as z from "zod";
import type { PrintedSchemas } from "./schemas.ts";
import { type Answer, type JsonSchema, type Parameter, type PathItem, refTo } from "./shape.ts";

const EventActor = z.strictObject({ id: id("usr"), handle, url: z.string() }).meta({ id: "EventActor" });
const envelope = z.strictObject({
  id: id("evt"),
  createdAt: timestamp,
  prompt: EventPrompt,
  actor: EventActor.nullable(),
});
const names = Object.keys(events) as EventName[];

/** The schemas that deliveries need beside those of the operations. */
export const eventSchemas: Schema<unknown>[] = [envelope, ...names.map((name) => events[name].data)];

/** The component that describes the body of an event: `PromptLabelMovedEvent`. */
const componentOf = (name: EventName) =>
  `${name
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Event`;

/** Of an event that can be about what belongs to no prompt. */
const orNull = (prompt: JsonSchema): JsonSchema => ({
  anyOf: [prompt, { type: "null" }],
  description: "Null if it is about what belongs to no public prompt.",
});

/** The body of every event, as components. */
export function printEnvelopes(schemas: PrintedSchemas): Record<string, JsonSchema> {
  const { properties: { prompt = {}, actor = {}, ...fields } = {} } = schemas.answer(envelope);
  return Object.fromEntries(
    names.map((name) => {
      const { properties = {}, required = [], ...data } = schemas.answer(events[name].data);
      const about: Record<string, JsonSchema> =
        name === "ping"
          ? {}
          : {
              prompt: events[name].isPromptOptional ? orNull(prompt) : prompt,
              actor: { ...actor, description: "Null if the system did it." },
            };
      const schema: JsonSchema = {
        description: `The body of a \`${name}\` delivery.`,
        type: "object",
        properties: {
          id: {
            ...fields["id"],
            description: "Stays the same when the event is sent again: remove duplicates by it.",
          },
          event: { const: name },
          createdAt: { ...fields["createdAt"], description: "When it happened: sort by it." },
          data: {
            ...data,
            properties: { ...about, ...properties },
            required: [...Object.keys(about), ...required],
          },
        },
        required: ["id", "event", "createdAt", "data"],
      };
      return [componentOf(name), schema];
    }),
  );
}

const received: Answer = {
  description: "Received. Answer within 10 seconds. The delivery log keeps the first 2 KB of the body.",
};
const failed = (description: string): Answer => ({
  description: `${description} The attempt counts as failed and is retried.`,
});

/** The deliveries as the document's `webhooks`. */
export const printDeliveries = (): Record<string, PathItem> =>
  Object.fromEntries(names.map((name) => [name, printDelivery(name)]));

const printDelivery = (name: EventName): PathItem => ({
  post: {
    operationId: `deliver.${name}`,
    summary: events[name].description,
    description: describeReach(name),
    tags: ["Events"],
    security: [],
    parameters: deliveryHeaders(name),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: refTo("schemas", componentOf(name)),
          example: exampleEnvelope(name),
        },
      },
    },
    responses: {
      "2XX": received,
      "3XX": failed("Redirects are not followed."),
      "4XX": failed("The receiver refused it."),
      "5XX": failed("The receiver failed."),
    },
  },
});

function deliveryHeaders(event: EventName): Parameter[] {
  const header = (name: string, description: string, schema: JsonSchema, example: string): Parameter => ({
    name,
    in: "header",
    required: true,
    description,
    schema,
    example,
  });
  return [
    header("Service-Event", "The event's name.", { const: event }, event),
    header(
      "Service-Delivery",
      "The id of the delivery, the same for all its attempts. A redelivery has a new one.",
      { type: "string" },
      "dlv_01jd0000000000000000000000",
    ),
    header(
      "Service-Signature",
      "Unix seconds, and the hex HMAC-SHA256 of `<t>.<raw body>` with the webhook's secret as key.",
      { type: "string", pattern: "^t=\\d{1,12}(,v1=[0-9a-f]{64})+$" },
      `t=1795167000,v1=${"0123456789abcdef".repeat(4)}`,
    ),
  ];
}

function describeReach(name: EventName): string {
  const { watchLevels, isSubscribable } = events[name];
  if (!isSubscribable) return "You cannot subscribe to it, and it is never retried.";
  const levels = watchLevels.map((level) => `\`${level}\``).join(" or ");
  return levels === ""
    ? "Sent to the owner of the prompt."
    : `Sent to the owner of the prompt and, if the prompt is public, to those who watch it at ${levels}.`;
}
