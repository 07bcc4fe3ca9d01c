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
// The class that the client knows, which lets it pass as it is; the rest of core is bundled.
import { ApiError } from "@promptreg/core/errors";
import type { Caller, StoredPrompt, World } from "./world.ts";

/** Thrown for what this registry does not do. */
export class NotInTestRegistry extends ApiError {
  constructor(what: string) {
    const message = `The registry of @promptreg/client/testing has no ${what}. Use startRegistry of @promptreg/server/testing for this test: it has everything.`;
    super({ code: "not_in_test_registry", status: 501, message });
  }
}

interface ReplyHeaders {
  /** Begins with `W/` where more can change than the ETag covers. Default: a digest of the content. */
  etag?: string | Promise<string>;
  location?: string;
  immutable?: "public" | "private";
}

type ReplyWith<Status, M> =
  M extends Json<infer T>
    ? { status: Status; json: T } & ReplyHeaders
    : M extends Text
      ? { status: Status; text: string } & ReplyHeaders
      : { status: Status };

/** What a handler answers: one of the results that its operation declares. */
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

/** What a handler gets. */
export interface Context<O> {
  params: ParamsOf<O>;
  query: QueryOf<O>;
  body: Body<O>;
  /** The files of the body, checked; null where it has none. */
  content: Body<O> extends { files: FileInput[] } ? Content : Content | null;
  caller: AccessOf<O> extends { auth: "required" } ? Caller : Caller | null;
  /** For a write a copy, which takes the place of the prompt when the handler returns. */
  target: AccessOf<O> extends { on: { prompt: unknown } | { version: unknown } } ? StoredPrompt : null;
  world: World;
  /** Writes an event, which counts when the handler returns. */
  emit: <N extends EventsOf<O>>(name: N, prompt: StoredPrompt, data: EventData<N>) => void;
  /** Keeps a new prompt when the handler returns. */
  save: (prompt: StoredPrompt) => void;
}

/** The handler of an operation. It waits for nothing, so that nobody sees half of what it does. */
export type Handler<Id extends OperationId> = (
  context: Context<OperationOf<Id>>,
) => Reply<ResultsOf<OperationOf<Id>>>;
