import type { BodyMediaOf, OperationId, OperationOf } from "@promptreg/core";
import type { Result, TypeSent } from "./methods.ts";

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
  "makes.files.download": true,
  "prompts.raw.get": true,
  "prompts.raw.getFile": true,
  "notifications.unsubscribePage": true,
  "notifications.unsubscribe": true,
} satisfies Record<NotAllJson, true>;

type BodyOf<Id extends OperationId> = BodyMediaOf<OperationOf<Id>>;

/** The type of a body of text or bytes, for which `fetch` would send one of its own, or none. Of several, the first is the default. */
export const bodyTypes: Readonly<Record<string, string>> = {
  "evals.datasets.import": "text/csv",
  "discord.interactions.receive": "application/json",
  "imports.upload": "application/octet-stream",
  "imports.uploadChunk": "application/octet-stream",
} satisfies {
  [Id in OperationId as [TypeSent<BodyOf<Id>>] extends [never] ? never : Id]: TypeSent<BodyOf<Id>>;
};
