import type { OperationId, OperationOf } from "@promptreg/core";
import type { Result } from "./methods.ts";

/** The operations of which an answer is a `Response` without being asked for one. */
type NotAllJson = {
  [Id in OperationId]: Extract<Result<OperationOf<Id>>, Response> extends never ? never : Id;
}[OperationId];

/**
 * The operations that answer with something other than JSON. Their answers are handed out unread, even where
 * the content happens to be JSON, such as a file. One that is missing here, or too many, does not compile.
 */
export const otherMedia: Readonly<Record<string, true>> = {
  "prompts.raw.get": true,
  "prompts.raw.getFile": true,
  "notifications.unsubscribePage": true,
  "notifications.unsubscribe": true,
} satisfies Record<NotAllJson, true>;
