import type {
  AccessOf,
  BodyMediaOf,
  CheckedFile,
  EventData,
  EventsOf,
  FileInput,
  Json,
  MediaOf,
  OperationId,
  OperationOf,
  ParamsOf,
  QueryOf,
  Results,
  ResultsOf,
  Text,
} from "@promptreg/core";
// The client passes this class on unchanged, so it must be the client's own. The rest of core is bundled.
import { ApiError } from "@promptreg/core/errors";
import type { Caller, StoredPrompt, World } from "./world.ts";

/** Thrown for everything that this registry does not support. */
export class NotInTestRegistry extends ApiError {
  constructor(what: string) {
    const message = `The registry of @promptreg/client/testing has no ${what}. Use startRegistry of @promptreg/server/testing for this test: it has everything.`;
    super({ code: "not_in_test_registry", status: 501, message });
  }
}

interface ReplyHeaders {
  /** Begins with `W/` where more can change than the ETag covers; null for none. Default: a digest of the content. */
  etag?: string | Promise<string> | null;
  location?: string;
  immutable?: "public" | "private";
}

type ReplyWith<Status, M> =
  M extends Json<infer T>
    ? { status: Status; json: T } & ReplyHeaders
    : M extends Text
      ? { status: Status; text: string } & ReplyHeaders
      : { status: Status };

/** The reply of a handler: one of the results that its operation declares. */
export type Reply<S extends Results> = {
  [Status in keyof S]: ReplyWith<Status, MediaOf<S, Status>>;
}[keyof S];

/** Files that passed the rules, and their digest. */
export interface Content {
  files: CheckedFile[];
  contentHash: string;
}

/** A reply of any operation. */
export interface AnyReply extends ReplyHeaders {
  status: number;
  json?: unknown;
  text?: string;
}

type Body<O> = BodyMediaOf<O> extends Json<infer T> ? T : undefined;

/** The input of a handler. */
export interface Context<O> {
  params: ParamsOf<O>;
  query: QueryOf<O>;
  body: Body<O>;
  /** The checked files of the body; null without files. */
  content: Body<O> extends { files: FileInput[] } ? Content : Content | null;
  caller: AccessOf<O> extends { auth: "required" } ? Caller : Caller | null;
  /** For a write, a copy that replaces the prompt when the handler returns. */
  target: AccessOf<O> extends { on: { prompt: unknown } | { version: unknown } } ? StoredPrompt : null;
  world: World;
  /** Emits an event when the handler returns. */
  emit: <N extends EventsOf<O>>(name: N, prompt: StoredPrompt, data: EventData<N>) => void;
  /** Stores a new prompt when the handler returns. */
  save: (prompt: StoredPrompt) => void;
}

/** The handler of an operation. It is synchronous, so no request sees half of its changes. */
export type Handler<Id extends OperationId> = (
  context: Context<OperationOf<Id>>,
) => Reply<ResultsOf<OperationOf<Id>>>;
