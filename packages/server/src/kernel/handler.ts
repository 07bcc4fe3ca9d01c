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
  NotificationType,
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
import type { Caller } from "./accounts/caller.ts";
import type { Traffic } from "./changes/activity.ts";
import type { EmittedSubject } from "./changes/emit.ts";
import type { MultipartBody } from "./input/multipart.ts";
import type { NoticeData, NoticeSubject } from "./changes/notify.ts";
import type { Page } from "./lists/page.ts";
import type { ServerContext } from "./server-context.ts";
import type { Loaded, LoadRequest, RowOf, Targets } from "./target.ts";

/** A text comes while it is received: `prepare` reads it to its end. */
type Payload<M> =
  M extends Json<infer T>
    ? T
    : M extends Text
      ? AsyncIterable<string>
      : M extends Bytes
        ? Buffer
        : M extends Form<infer F>
          ? F
          : M extends Multipart<infer F>
            ? MultipartBody<F>
            : never;

interface Counted {
  /** What analytics count of it, unless it becomes a 304 or answers HEAD. */
  traffic?: readonly Traffic[];
}

interface ReplyHeaders extends Counted {
  /**
   * Only for pinned and polled versions: it names their bytes. Null for a response without an ETag. The kernel makes all
   * other ETags.
   */
  etag?: string | null;
  /** The revision of what is shown, if the operation has no target with one, or shows a page of what its target has. */
  revision?: string;
  /** The URL of the created thing. */
  location?: string;
  /** The response never changes: caches may keep it for a year. Shared caches keep a public one for a minute. */
  immutable?: "public" | "private";
  /** The key by which a CDN forgets the response, if it may keep that for a year. */
  surrogateKey?: string;
  /** What `again` needs to read the response of a write again. */
  subject?: object;
}

type ReplyWith<Status, M> =
  M extends Json<infer T>
    ? {
        status: Status;
        json: T | JsonText<T>;
        /** Fields for this response only: a replay under the same Idempotency-Key leaves them out. */
        once?: Partial<T>;
      } & ReplyHeaders
    : M extends Text<infer Type>
      ? { status: Status; text: string; type?: Type } & ReplyHeaders
      : M extends Bytes<infer Type>
        ? {
            status: Status;
            bytes: ReadableStream<Uint8Array>;
            type?: Type extends "*/*" ? string : Type;
            filename?: string;
            /** Sentences for `X-Format-Warning`. */
            warnings?: readonly string[];
          } & ReplyHeaders
        : M extends Html
          ? {
              status: Status;
              html: string;
              /** The content of its only style sheet, which is inline. */
              style?: string;
            }
          : M extends Redirect
            ? { status: Status; location: string }
            : M extends Empty
              ? { status: Status }
              : never;

/** What a handler returns: a declared result of its operation, as data, or 304, with what announces a change if the caller can wait. */
export type Reply<S extends Results> =
  | { [Status in keyof S]: ReplyWith<Status, MediaOf<S, Status>> }[keyof S]
  | ({ status: 304; etag: string; names?: readonly string[] } & Pick<
      ReplyHeaders,
      "immutable" | "surrogateKey"
    >);

type IsUnion<T, U = T> = T extends U ? ([U] extends [T] ? false : true) : never;

/** The target's row, as a handler gets it. If the target can be of several kinds, `type` names its kind. */
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
  /** The media type of a write's body; empty without one. */
  bodyType: string;
  /** The media type of the response, chosen by the caller's Accept. */
  accept: string;
}

export interface Context<O, Row = TargetOf<AccessOf<O>>, Prepared = undefined> extends Request<O> {
  caller: AccessOf<O> extends { auth: "required" } ? Caller : Caller | null;
  target: Row;
  /** Further targets, by their names in `access.with`. */
  others: OthersOf<AccessOf<O>>;
  prepared: Prepared;
  /** The caller's address as limits count it. */
  network: string;
  /** The requested page, if the operation has a cursor. */
  page: "cursor" extends keyof QueryOf<O> ? Page : undefined;
  /** The ETags that a read's caller has, quoted. */
  ifNoneMatch: readonly string[];
  /** A read that waits for a change: it may show what was read a moment ago, if nothing was announced since. */
  isWaiting: boolean;
  /** For a write its transaction, for a read the pool. */
  sql: Sql;
  server: ServerContext;
  /**
   * Counts a write against its operation's own limit, if the operation leaves that to the handler. `id` names what it is counted for, if
   * that is not its target.
   */
  charge: (id?: string) => void;
  /** Writes an event, and the job that fans it out, in the transaction of the change. */
  emit: <N extends EventsOf<O>>(name: N, about: EmittedSubject, data: EventData<N>) => Promise<void>;
  /** Notifies an account of what is no event to it, in the transaction of the change. */
  notify: <N extends NotificationType>(name: N, about: NoticeSubject, data: NoticeData<N>) => Promise<void>;
  /** Writes an audit row in the transaction of the change. */
  audit: (action: string, target: string, data?: Record<string, unknown>) => Promise<void>;
}

/** Who asks for a read, and the process that serves it. */
export interface Asking {
  credential: Buffer | null;
  server: ServerContext;
}

/** The ETags of a read's `If-None-Match`, quoted. */
export interface Conditional {
  ifNoneMatch: readonly string[];
}

/** A repeated request, and the `subject` that the first reply named. */
export interface Replay<O, Row> extends Pick<Context<O, Row>, "caller" | "target" | "sql" | "server"> {
  subject: any;
}

/** A handler with work before its transaction, or with its own way to load the target. */
export interface DetailedHandler<O, Row, Prepared> {
  /**
   * Slow or external work (hashing, DNS). It runs before the transaction, so that no lock waits for it, and before anybody knows
   * whether the caller may do this. `closed` aborts when the client is gone.
   */
  prepare?(
    request: Request<O> & Pick<Context<O>, "caller" | "server" | "charge"> & { closed: AbortSignal },
  ): Promise<Prepared>;
  /**
   * For a read: loads the target and what the response needs in one statement, or shares a statement with other requests. For a
   * column `state` see below.
   */
  load?(
    sql: Sql,
    request: LoadRequest<ParamsOf<O>> & Pick<Request<O>, "query" | "accept"> & Conditional & Asking,
  ): Promise<Loaded<Row>>;
  /**
   * For a read: everything the response shows to a viewer that can change without the revision, as one SQL value over the
   * target's `from`. The ETag is made of it, so that a 304 prints nothing. Without it the ETag is a digest of the content.
   */
  state?(sql: Sql, viewing: { viewerId: Fragment; params: ParamsOf<O> }): Fragment;
  /** The revision of what is read or written, if it is not the target's. */
  revision?(sql: Sql): Fragment;
  /**
   * `share`: of a write that changes nothing of its target's own: it shares the row lock with others like it. `own`: of a write
   * that changes its target alone, without an event: it does not lock what the target belongs to.
   */
  lock?: "share" | "own";
  /** Whether an anonymous list must be what the primary has now, which it need not be otherwise. */
  mustBeCurrent?(query: QueryOf<O>): boolean;
  /** Of a write without a target: takes the locks that have to be taken before that of the caller's account, which `If-Match` takes. */
  lockFirst?(context: Pick<Context<O, Row>, "body" | "caller" | "sql" | "server">): Promise<void>;
  /** Of a write without a target that must answer even if the database does not: `handle` gets the pool. */
  withoutTransaction?: true;
  handle(context: Context<O, Row, Prepared>): Promise<Reply<ResultsOf<O>>>;
  /**
   * For a POST: reads the response again if it was too long to be stored for replays. Every operation whose response can be
   * that long needs it, and names its `subject` in each reply.
   */
  replay?(context: Replay<O, Row>): Promise<JsonText<unknown>>;
}

/** The optional fields. All handlers have them: the engine reads fields faster if all objects have the same ones. */
export const noHandler: Record<Exclude<keyof DetailedHandler<any, any, any>, "handle">, undefined> = {
  prepare: undefined,
  load: undefined,
  state: undefined,
  revision: undefined,
  lock: undefined,
  mustBeCurrent: undefined,
  lockFirst: undefined,
  withoutTransaction: undefined,
  replay: undefined,
};

export type HandlerFor<O> =
  | ((context: Context<O>) => Promise<Reply<ResultsOf<O>>>)
  | DetailedHandler<O, any, any>;

/** The handler of an operation: a plain function of its request. */
export type Handler<Id extends OperationId> = (
  context: Context<OperationOf<Id>>,
) => Promise<Reply<ResultsOf<OperationOf<Id>>>>;

/** The handler of an operation that prepares, or that loads its target in its own way. */
export type HandlerWith<
  Id extends OperationId,
  Extra extends { target?: unknown; prepared?: unknown },
> = DetailedHandler<
  OperationOf<Id>,
  Extra extends { target: infer Row } ? Row : TargetOf<AccessOf<OperationOf<Id>>>,
  Extra extends { prepared: infer Prepared } ? Prepared : undefined
>;

/** A handler for every operation, in the shape of the contract. A missing handler does not compile. */
export type Handlers<C = Contract> = {
  [K in keyof C]: C[K] extends Operation<any, any, any, any, any, any, any, any>
    ? HandlerFor<C[K]>
    : Handlers<C[K]>;
};
