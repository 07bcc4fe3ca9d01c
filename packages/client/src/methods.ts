import type {
  BodyMediaOf,
  Bytes,
  Empty,
  Form,
  HeadersOf,
  Json,
  ListedChange,
  ListedChanges,
  ListedVersion,
  Multipart,
  Page,
  ParamsOf,
  Prompt,
  PromptSummary,
  QueryOf,
  Redirect,
  ResolvedVersion,
  ResultsOf,
  Text,
} from "@promptreg/core";
import type { Call, CallOptions, List, OtherMedium, SentAs } from "./calls.ts";
import type { Blob, FormData, ReadableStream, Response, URLSearchParams } from "./web.ts";

/** The body of a media type as a caller passes it. */
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

/** A response of a media type as a caller gets it. */
type Answer<Medium> = Medium extends Json<infer T> ? T : Medium extends Empty ? undefined : Response;

/** `T` under a name, unless it is empty. It is optional if all of its fields are. */
type Under<Name extends string, T> = [T] extends [never]
  ? {}
  : keyof T extends never
    ? {}
    : {} extends T
      ? { [N in Name]?: T }
      : { [N in Name]: T };

/** A body is optional if all of its fields are: none is the same as an empty object. */
type Body<O> = [Content<BodyMediaOf<O>>] extends [never]
  ? {}
  : {} extends Content<BodyMediaOf<O>>
    ? { body?: Content<BodyMediaOf<O>> }
    : { body: Content<BodyMediaOf<O>> };

type Flat<T> = { [K in keyof T]: T[K] };

/** The input of an operation: the parameters of its path by name, and `query`, `headers` and `body`, if it has them. */
export type Input<O> = Flat<
  ParamsOf<O> & Under<"query", QueryOf<O>> & Under<"headers", HeadersOf<O>> & Body<O>
>;

type Each<S> = S[keyof S];
/** The first of several media types of a status is the default. */
type Default<Media> = Media extends readonly [infer First, ...unknown[]] ? First : Media;
type Others<Media> = Media extends readonly [unknown, ...(infer Rest)[]] ? Rest : never;
type TypeOf<Medium> = Medium extends { readonly type: infer Type } ? Type : never;

/** `fetch` follows a redirect, which is therefore no result beside another one. */
type Followed<Media> = [Exclude<Media, Redirect>] extends [never] ? Media : Exclude<Media, Redirect>;

/** An empty response beside another one is for tokens that may only write. */
type Seen<Media, Token> = Token extends "write-only"
  ? Media
  : [Exclude<Media, Empty>] extends [never]
    ? Media
    : Exclude<Media, Empty>;

/** What a token may do, as far as types differ. */
export type TokenKind = "common" | "write-only";

/** The result of an operation: JSON as data, an empty response as undefined, anything else as the `Response` itself. */
export type Result<O, Token extends TokenKind = "common"> = Answer<
  Followed<Seen<Default<Each<ResultsOf<O>>>, Token>>
>;

type Sent<T> = [T] extends [Page<infer Item>] ? List<Item, T> : Call<T>;

/** The media types that an operation can return, without the default. */
type OtherTypes<O> = TypeOf<Others<Each<ResultsOf<O>>>>;

/** The types of a body that is text or bytes. */
export type TypeSent<Medium> = Medium extends Text | Bytes ? TypeOf<Medium> : never;

/** The options of an operation: of several types of its body, one. */
type OptionsOf<O> = [TypeSent<BodyMediaOf<O>>] extends [never]
  ? CallOptions
  : SentAs<TypeSent<BodyMediaOf<O>>>;

type InOtherMedia<O> = [OtherTypes<O>] extends [never]
  ? unknown
  : (input: Input<O>, options: OtherMedium<OtherTypes<O>>) => Call<Response>;

/**
 * An operation as a function. It rejects with an ApiError, a ConnectionError or the reason of the signal. If the operation has
 * several media types, `accept` chooses another than the default. The result is then the `Response` itself.
 */
export type Method<O, Token extends TokenKind = "common"> = InOtherMedia<O> &
  ({} extends Input<O>
    ? (input?: Input<O>, options?: OptionsOf<O>) => Sent<Result<O, Token>>
    : (input: Input<O>, options?: OptionsOf<O>) => Sent<Result<O, Token>>);

/** Which of the two views of a prompt `prompts.get` returns follows from its query. */
type PromptMethod<O> = <View extends "full" | "version" = "full">(
  input: ParamsOf<O> & { query?: Omit<QueryOf<O>, "view"> & { view?: View | undefined } },
  options?: CallOptions,
) => Call<View extends "version" ? ResolvedVersion : Prompt>;

/** So it does of `prompts.list`. */
type PromptListMethod<O> = <View extends "summary" | "version" | "changes" = "summary">(
  input?: { query?: Omit<QueryOf<O>, "view"> & { view?: View | undefined } },
  options?: CallOptions,
) => View extends "version"
  ? List<ListedVersion, Page<ListedVersion>>
  : View extends "changes"
    ? List<ListedChange, ListedChanges>
    : List<PromptSummary, Page<PromptSummary>>;

type PromptRoute = "GET /prompts/{owner}/{slug}";
type PromptListRoute = "GET /prompts";

/** Mapped key by key over the contract, so that editors show each operation's documentation and find its source. */
export type Methods<T, Token extends TokenKind = "common"> = {
  readonly [K in keyof T]: T[K] extends { readonly route: infer Route }
    ? Route extends PromptRoute
      ? PromptMethod<T[K]>
      : Route extends PromptListRoute
        ? PromptListMethod<T[K]>
        : Method<T[K], Token>
    : Methods<T[K], Token>;
};
