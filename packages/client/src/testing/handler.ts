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
import type { ReadCases } from "@promptreg/core/evals";
import type { Targets } from "./targets.ts";
import type { Caller, Stored, StoredPrompt, World } from "./world.ts";

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
    ? { status: Status; json: T } & ReplyHeaders & Repeating
    : M extends Text
      ? { status: Status; text: string } & ReplyHeaders
      : { status: Status };

interface Repeating {
  /** Reads a long response again, when its request is repeated with the same Idempotency-Key. */
  again?: () => unknown;
}

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
export interface AnyReply extends ReplyHeaders, Repeating {
  status: number;
  json?: unknown;
  text?: string;
}

type TargetOn<On> = Targets[keyof On & keyof Targets];

type ContentOf<O> =
  BodyMediaOf<O> extends Text ? ReadCases : Body<O> extends { files: FileInput[] } ? Content : Content | null;

type Body<O> = BodyMediaOf<O> extends Json<infer T> ? T : undefined;

/** The input of a handler. */
export interface Context<O> {
  params: ParamsOf<O>;
  query: QueryOf<O>;
  body: Body<O>;
  /** The checked files of the body, or the cases of a file; null without files. */
  content: ContentOf<O>;
  caller: AccessOf<O> extends { auth: "required" } ? Caller : Caller | null;
  /** For a write, a copy that replaces the original when the handler returns. */
  target: AccessOf<O> extends { on: infer On } ? TargetOn<On> : null;
  /** Further targets, by name. */
  others: AccessOf<O> extends { with: infer With }
    ? { [Name in keyof With]: With[Name] extends { on: infer On } ? TargetOn<On> : never }
    : {};
  world: World;
  /** Emits an event when the handler returns. */
  emit: <N extends EventsOf<O>>(name: N, prompt: StoredPrompt, data: EventData<N>) => void;
  /** Stores something new, or another copy, when the handler returns. */
  save: (copy: Stored) => void;
}

/** The handler of an operation. It is synchronous, so no request sees half of its changes. */
export type Handler<Id extends OperationId> = (
  context: Context<OperationOf<Id>>,
) => Reply<ResultsOf<OperationOf<Id>>>;
