import type { OperationId, OperationOf } from "@promptreg/core";
import type { Result } from "./methods.ts";

/** The operations that return a `Response` by default. */
type NotAllJson = {
  [Id in OperationId]: Extract<Result<OperationOf<Id>>, Response> extends never ? never : Id;
}[OperationId];

/**
 * The operations that return something other than JSON. Their responses are returned unread, even if the content is JSON, such
 * as a file. A missing entry, or one too many, does not compile.
 */
export const otherMedia: Readonly<Record<string, true>> = {
  "prompts.download": true,
  "prompts.raw.get": true,
  "prompts.raw.getFile": true,
  "notifications.unsubscribePage": true,
  "notifications.unsubscribe": true,
} satisfies Record<NotAllJson, true>;
