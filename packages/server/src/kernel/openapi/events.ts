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

/** The body of every event, as components. */
export function printEnvelopes(schemas: PrintedSchemas): Record<string, JsonSchema> {
  const { properties: { prompt = {}, actor = {}, ...fields } = {} } = schemas.answer(envelope);
  return Object.fromEntries(
    names.map((name) => {
      const { properties = {}, required = [], ...data } = schemas.answer(events[name].data);
      const about: Record<string, JsonSchema> =
        name === "ping" ? {} : { prompt, actor: { ...actor, description: "Null where the system acted." } };
      const schema: JsonSchema = {
        description: `The body of a \`${name}\` delivery.`,
        type: "object",
        properties: {
          id: { ...fields["id"], description: "The same when it is sent again: de-duplicate on it." },
          event: { const: name },
          createdAt: { ...fields["createdAt"], description: "When it happened: order by it." },
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
  description:
    "Received. Answer within 10 seconds; of the body the first 2 KB are kept for the delivery log.",
};
const failed = (description: string): Answer => ({
  description: `${description} It counts as failed and is tried again.`,
});

/** The deliveries as the document's `webhooks`. */
export function printDeliveries(): Record<string, PathItem> {
  const header = (name: string, description: string, schema: JsonSchema, example: string): Parameter => ({
    name,
    in: "header",
    required: true,
    description,
    schema,
    example,
  });
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        post: {
          operationId: `deliver.${name}`,
          summary: events[name].description,
          description: describeReach(name),
          tags: ["Events"],
          security: [],
          parameters: [
            header("Service-Event", "The event's name.", { const: name }, name),
            header(
              "Service-Delivery",
              "One delivery with all its attempts; a redelivery has a new one.",
              { type: "string" },
              "dlv_01jd0000000000000000000000",
            ),
            header(
              "Service-Signature",
              "Unix seconds, and the hex HMAC-SHA256 of `<t>.<raw body>` under the webhook's secret.",
              { type: "string", pattern: "^t=\\d{1,12}(,v1=[0-9a-f]{64})+$" },
              `t=1795167000,v1=${"0123456789abcdef".repeat(4)}`,
            ),
          ],
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
            "4XX": failed("Refused."),
            "5XX": failed("Broken."),
          },
        },
      } satisfies PathItem,
    ]),
  );
}

function describeReach(name: EventName): string {
  const { watchLevels, isSubscribable } = events[name];
  if (!isSubscribable) return "It cannot be subscribed to and is never tried again.";
  const levels = watchLevels.map((level) => `\`${level}\``).join(" or ");
  return levels === ""
    ? "It goes to the owner of the prompt."
    : `It goes to the owner of the prompt and, where the prompt is public, to those who watch it at ${levels}.`;
}
