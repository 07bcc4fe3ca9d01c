import type {
  AccessOf,
  BodyMediaOf,
  Bytes,
  Contract,
  Empty,
  EventData,
  EventsOf,
  Form,
  HeadersOf,
  Html,
  Json,
  JsonText,
  Kind,
  MediaOf,
  Multipart,
  Operation,
  OperationId,
  OperationOf,
  ParamsOf,
  QueryOf,
  Redirect,
  Results,
  ResultsOf,
  Text,
} from "@promptreg/core";
import type { Fragment, Sql } from "../database/sql.ts";
import type { Caller } from "./caller.ts";
import type { EventSubject } from "./emit.ts";
import type { MultipartBody } from "./multipart.ts";
import type { Page } from "./page.ts";
import type { ServerContext } from "./server-context.ts";
import type { Loaded, LoadRequest, RowOf, Targets } from "./target.ts";

type Payload<M> =
  M extends Json<infer T>
    ? T
    : M extends Text
      ? string
      : M extends Bytes
        ? ReadableStream<Uint8Array>
        : M extends Form<infer F>
          ? F
          : M extends Multipart<infer F>
            ? MultipartBody<F>
            : never;

interface ReplyHeaders {
  /**
   * Only for what is pinned or polled, whose bytes it names; null for an answer without one. The kernel makes all
   * others.
   */
  etag?: string | null;
  /** The revision of what is shown, where the operation has no target that tells it. */
  revision?: string;
  /** Where the thing that was made can be read. */
  location?: string;
  /** The answer can never change: it may be kept for a year, by shared caches for a minute where it is public. */
  immutable?: "public" | "private";
  /** What a write is about, for `again`. */
  subject?: object;
}

type ReplyWith<Status, M> =
  M extends Json<infer T>
    ? {
        status: Status;
        json: T | JsonText<T>;
        /** Fields for this answer alone, which a replay under the same Idempotency-Key leaves out. */
        once?: Partial<T>;
      } & ReplyHeaders
    : M extends Text<infer Type>
      ? { status: Status; text: string; type?: Type } & ReplyHeaders
      : M extends Bytes<infer Type>
        ? { status: Status; bytes: ReadableStream<Uint8Array>; type?: Type; filename?: string } & ReplyHeaders
        : M extends Html
          ? {
              status: Status;
              html: string;
              /** The content of its only style sheet, which stands in it. */
              style?: string;
            }
          : M extends Redirect
            ? { status: Status; location: string }
            : M extends Empty
              ? { status: Status }
              : never;

/** What a handler answers: one of the results its operation declares, as data, or that the caller holds it. */
export type Reply<S extends Results> =
  | { [Status in keyof S]: ReplyWith<Status, MediaOf<S, Status>> }[keyof S]
  | ({ status: 304; etag: string } & Pick<ReplyHeaders, "immutable">);

type IsUnion<T, U = T> = T extends U ? ([U] extends [T] ? false : true) : never;

/** What a handler gets of a thing that its operation is about: its row, with its kind in `type` where it can be of several. */
type TargetOf<A> = A extends { on: infer O }
  ?
      | (IsUnion<keyof O> extends true
          ? RowOf<keyof O & Kind>
          : keyof O extends keyof Targets
            ? Targets[keyof O]
            : never)
      | (A extends { from: `${string}?` } ? null : never)
  : null;

type OthersOf<A> = A extends { with: infer W } ? { [N in keyof W]: TargetOf<W[N]> } : {};

export interface Request<O> {
  params: ParamsOf<O>;
  query: QueryOf<O>;
  headers: HeadersOf<O>;
  body: Payload<BodyMediaOf<O>>;
  /** The media type of the answer that the caller wants, out of those that the operation has. */
  accept: string;
}

export interface Context<O, Row = TargetOf<AccessOf<O>>, Prepared = undefined> extends Request<O> {
  caller: AccessOf<O> extends { auth: "required" } ? Caller : Caller | null;
  target: Row;
  /** What else the operation is about, by its names in `access.with`. */
  others: OthersOf<AccessOf<O>>;
  prepared: Prepared;
  /** The part of the list that is asked for, where the operation has a cursor. */
  page: "cursor" extends keyof QueryOf<O> ? Page : undefined;
  /** The transaction of a write; the pool for a read. */
  sql: Sql;
  server: ServerContext;
  /** Counts a write under its operation's own limit, where that leaves it to the handler. */
  charge: () => void;
  /** Writes an event and the job that fans it out, in the transaction of the change. */
  emit: <N extends EventsOf<O>>(name: N, about: EventSubject, data: EventData<N>) => Promise<void>;
  /** Writes an audit row in the transaction of the change. */
  audit: (action: string, target: string, data?: Record<string, unknown>) => Promise<void>;
}

/** The ETags of the answers that the caller of a read holds, in their quotes. */
export interface Held {
  held: readonly string[];
}

/** A request that is repeated, and the `subject` that the reply to the first one named. */
export interface Replay<O, Row> extends Pick<Context<O, Row>, "caller" | "target" | "sql" | "server"> {
  subject: any;
}

/** A handler with what must happen before its transaction, or with a target loaded together with its answer. */
export interface DetailedHandler<O, Row, Prepared> {
  /** Slow or outward work (hashing, DNS), done before the transaction so that nothing waits inside it. */
  prepare?(request: Request<O> & { server: ServerContext }): Promise<Prepared>;
  /** Of a read: loads the target together with what the answer needs, in one statement. A column `state` is as below. */
  load?(
    sql: Sql,
    request: LoadRequest<ParamsOf<O>> & Pick<Request<O>, "query" | "accept"> & Held,
  ): Promise<Loaded<Row>>;
  /**
   * Of a read: all that its answer shows to a viewer and that can change without the revision, as one SQL value over what
   * the target is selected from. It makes the ETag, so that a 304 prints nothing. Without it the ETag is of the content.
   */
  state?(sql: Sql, viewing: { viewerId: Fragment; params: ParamsOf<O> }): Fragment;
  /** The revision of what is read or written, where it is not that of the target. */
  revision?(sql: Sql): Fragment;
  handle(context: Context<O, Row, Prepared>): Promise<Reply<ResultsOf<O>>>;
  /**
   * Reads the answer of a POST again, where it was too long to be kept for replays. What can be so long needs it, and
   * names its `subject` in each reply.
   */
  again?(context: Replay<O, Row>): Promise<JsonText<unknown>>;
}

/** What a handler can do without; the engine finds a field quicker where all objects have the same ones. */
export const noHandler: Record<Exclude<keyof DetailedHandler<any, any, any>, "handle">, undefined> = {
  prepare: undefined,
  load: undefined,
  state: undefined,
  revision: undefined,
  again: undefined,
};

export type HandlerFor<O> =
  | ((context: Context<O>) => Promise<Reply<ResultsOf<O>>>)
  | DetailedHandler<O, any, any>;

/** The handler of an operation: a plain function of its request. */
export type Handler<Id extends OperationId> = (
  context: Context<OperationOf<Id>>,
) => Promise<Reply<ResultsOf<OperationOf<Id>>>>;

/** The handler of an operation that prepares, or that loads its target its own way. */
export type HandlerWith<
  Id extends OperationId,
  Extra extends { target?: unknown; prepared?: unknown },
> = DetailedHandler<
  OperationOf<Id>,
  Extra extends { target: infer Row } ? Row : TargetOf<AccessOf<OperationOf<Id>>>,
  Extra extends { prepared: infer Prepared } ? Prepared : undefined
>;

/** A handler for every operation of a contract, in its shape: one that is missing does not compile. */
export type Handlers<C = Contract> = {
  [K in keyof C]: C[K] extends Operation<any, any, any, any, any, any, any, any>
    ? HandlerFor<C[K]>
    : Handlers<C[K]>;
};
