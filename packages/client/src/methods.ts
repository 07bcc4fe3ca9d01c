import type {
  BodyMediaOf,
  Bytes,
  Contract,
  Empty,
  Form,
  HeadersOf,
  Json,
  Multipart,
  Page,
  ParamsOf,
  QueryOf,
  ResultsOf,
  Text,
} from "@promptreg/core";
import type { PromptMethods } from "./prompts/index.ts";
import type {
  AbortSignal,
  Blob,
  FormData,
  HeadersInit,
  ReadableStream,
  Response,
  URLSearchParams,
} from "./web.ts";

/** What can be said about a single call. */
export interface CallOptions {
  /** Ends the call, its waits between attempts included; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  headers?: HeadersInit;
  /** For POST: names the call, so that the server does it once however often it is sent. Made up when absent. */
  idempotencyKey?: string;
  /** Instead of the client's. */
  timeoutMs?: number | undefined;
  /** Instead of the client's. */
  deadlineMs?: number | undefined;
}

/** Data beside the response in which it came, with its headers. That is read already, unless it is the data itself. */
export interface Answered<T> {
  data: T;
  response: Response;
}

/** A call that was sent: a promise of its data. */
export interface Call<T> extends Promise<T> {
  /** The response too. It rejects as the call does. */
  withResponse(): Promise<Answered<T>>;
}

/**
 * A call for a page of a list, and with `for await` each item of it and of the pages that follow. A page is asked
 * for when the items before it are used up, each with the options of the first; a `cursor` says where to begin.
 */
export interface List<T> extends Call<Page<T>>, AsyncIterable<T> {}

/** The body of a medium as a caller gives it. */
type Content<Medium> =
  Medium extends Json<infer T>
    ? T
    : Medium extends Multipart<unknown>
      ? FormData
      : Medium extends Form<unknown>
        ? URLSearchParams
        : Medium extends Text
          ? string
          : Medium extends Bytes
            ? Blob | ArrayBuffer | Uint8Array | ReadableStream
            : never;

/** An answer of a medium as a caller gets it. */
type Answer<Medium> = Medium extends Json<infer T> ? T : Medium extends Empty ? undefined : Response;

/** `T` under a name, unless it holds nothing; optional when all of it is. */
type Under<Name extends string, T> = [T] extends [never]
  ? {}
  : keyof T extends never
    ? {}
    : {} extends T
      ? { [N in Name]?: T }
      : { [N in Name]: T };

/** A body is never optional, for an empty object is not the same as none. */
type Body<O> = [Content<BodyMediaOf<O>>] extends [never] ? {} : { body: Content<BodyMediaOf<O>> };

type Flat<T> = { [K in keyof T]: T[K] };

/** What an operation takes: the parameters of its path by name, then `query`, `headers` and `body`, if it has them. */
export type Input<O> = Flat<
  ParamsOf<O> & Under<"query", QueryOf<O>> & Under<"headers", HeadersOf<O>> & Body<O>
>;

type Each<S> = S[keyof S];
/** Of several media for one status, the first is the default. */
type Default<Media> = Media extends readonly [infer First, ...unknown[]] ? First : Media;
type Others<Media> = Media extends readonly [unknown, ...(infer Rest)[]] ? Rest : never;
type TypeOf<Medium> = Medium extends { readonly type: infer Type } ? Type : never;

/** What an operation answers: JSON as data, nothing as undefined, anything else as the `Response` itself. */
export type Result<O> = Answer<Default<Each<ResultsOf<O>>>>;

type Sent<T> = [T] extends [Page<infer Item>] ? List<Item> : Call<T>;

/** Asks for an answer of another media type than the operation's default. */
export interface OtherMedium<Type> extends CallOptions {
  accept: Type;
}

/** The media types, beside the default, in which an operation can answer. */
type OtherTypes<O> = TypeOf<Others<Each<ResultsOf<O>>>>;

type InOtherMedia<O> = [OtherTypes<O>] extends [never]
  ? unknown
  : (input: Input<O>, options: OtherMedium<OtherTypes<O>>) => Call<Response>;

/**
 * An operation as a function. It rejects with an ApiError, a ConnectionError or the reason of the signal. Where it has several media,
 * `accept` names another than the default, and the answer is then the `Response` itself.
 */
export type Method<O> = InOtherMedia<O> &
  ({} extends Input<O>
    ? (input?: Input<O>, options?: CallOptions) => Sent<Result<O>>
    : (input: Input<O>, options?: CallOptions) => Sent<Result<O>>);

/** Mapped key by key over the contract, so that editors show each operation's documentation and lead to its line. */
type Methods<T> = {
  readonly [K in keyof T]: T[K] extends { readonly route: string } ? Method<T[K]> : Methods<T[K]>;
};

/** Every operation of the API under its id: `prompts.labels.put` is `client.prompts.labels.put(…)`. */
export interface Client extends Methods<Contract>, PromptMethods {}
