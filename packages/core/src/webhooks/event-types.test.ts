import { expectTypeOf, test } from "vitest";
import type { EventName } from "../catalogue/events.ts";
import type { receive, WebhookEnvelope, WebhookEvent } from "./index.ts";
import type { receiveSync } from "./node.ts";

// Checked by the compiler; `prove/packages` has it check the published declarations too.
test("an event's name says what its data is", () => {
  expectTypeOf<WebhookEvent["event"]>().toEqualTypeOf<EventName>();
  expectTypeOf<Awaited<ReturnType<typeof receive>>>().toEqualTypeOf<WebhookEvent>();
  expectTypeOf<ReturnType<typeof receiveSync>>().toEqualTypeOf<WebhookEvent>();
  const read = (event: WebhookEvent): unknown => {
    switch (event.event) {
      case "prompt.label.moved":
        expectTypeOf(event.data.label.versionNumber).toEqualTypeOf<number>();
        return event.data.prompt.ref;
      case "ping":
        // @ts-expect-error A ping is about no prompt.
        return event.data.prompt;
      case "eval.run.failed":
        return event.data.run.error.message;
      case "prompt.version.created":
      case "prompt.published":
      case "prompt.deleted":
      case "eval.run.completed":
      case "change_request.opened":
      case "change_request.merged":
        return event.data.actor?.handle;
      case "make.linked":
      case "make.approved":
        return event.data.make.maker.handle + event.data.prompt.ref;
      case "comment.created":
        // @ts-expect-error A comment may be about no prompt.
        return event.data.prompt.ref;
      default: {
        const other: WebhookEnvelope = event;
        return other.data["whatever"];
      }
    }
  };
  expectTypeOf(read).toBeFunction();
});

test("no name leads to the data of another", () => {
  type DataOf<N extends EventName> = Extract<WebhookEvent, { event: N }>["data"];
  expectTypeOf<DataOf<"prompt.deleted">>().toHaveProperty("deletedAt");
  expectTypeOf<DataOf<"prompt.deleted">>().not.toHaveProperty("label");
  expectTypeOf<DataOf<"ping">>().not.toHaveProperty("prompt");
});
