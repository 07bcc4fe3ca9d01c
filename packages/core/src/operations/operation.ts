import { aboutsOf, type Access, type FieldAccess, kindsOf } from "./access.ts";
import type { ErrorCode } from "../catalogue/errors.ts";
import type { EventName } from "../catalogue/events.ts";
import type { RatePolicy } from "./rate-limits.ts";
import type { Schema } from "../language/schema.ts";
import { type Kind, type RoleOf, targetKinds } from "../catalogue/targets.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Method and path below `/api/v1`; `{name}` takes one segment, `{name*}` all that follow. */
export type Route = `${Method} /${string}`;

/** Whether an operation can redirect to a new address of its target. */
export const canMove = ({ access: { on = {}, from } }: Operation): boolean =>
  from === undefined && kindsOf({ on }).some((kind) => targetKinds[kind].moves);

/** JSON that the database printed. It is sent unparsed. */
export type JsonText<T> = string & { readonly json?: T };

/** A medium: JSON that fits `schema`, of at most `maxBytes`. */
export interface Json<T> {
  kind: "json";
  type: "application/json";
  schema: Schema<T>;
  maxBytes: number;
}
/** A medium: UTF-8 text. */
export interface Text<M extends string = string> {
  kind: "text";
  type: M;
  maxBytes: number;
}
/** A medium: bytes that are neither parsed nor checked. */
export interface Bytes<M extends string = string> {
  kind: "bytes";
  type: M;
  /** Of a request. What is answered is a stream. */
  maxBytes: number;
}
/** A medium: a page for people. */
export interface Html {
  kind: "html";
  type: "text/html";
}
/** A response with only a `Location`. */
export interface Redirect {
  kind: "redirect";
}
/** A response without a body. */
export interface Empty {
  kind: "empty";
}
/** Fields of an HTML form. A name that occurs once gives its text, a repeated one a list. */
export interface Form<T> {
  kind: "form";
  type: "application/x-www-form-urlencoded";
  schema: Schema<T>;
  maxBytes: number;
}
/** Form fields that fit `schema`, and up to `maxFiles` files, which the server stores on disk. `maxBytes` limits each. */
export interface Multipart<T> {
  kind: "multipart";
  type: "multipart/form-data";
  schema: Schema<T>;
  maxBytes: number;
  maxFiles: number;
}

/** What a body can be. Each `any` is the data of some schema. */
export type RequestMedium = Json<any> | Text | Bytes | Form<any> | Multipart<any>;
/** What a response can be. The `any` is the data of some schema. */
export type ResponseMedium = Json<any> | Text | Bytes | Html | Redirect | Empty;

const mebibyte = 1024 * 1024;

/** A JSON body of at most `maxBytes`: 1 MiB, unless it contains files, cases or results. */
export const json = <T>(schema: Schema<T>, { maxBytes = mebibyte } = {}): Json<T> => ({
  kind: "json",
  type: "application/json",
  schema,
  maxBytes,
});
/** The limit for JSON with files, cases or results. Base64 makes them larger by a third. */
export const largeBody = { maxBytes: 16 * mebibyte };
export const text = <const M extends string = "text/plain">(
  type = "text/plain" as M,
  { maxBytes = mebibyte } = {},
): Text<M> => ({ kind: "text", type, maxBytes });
export const bytes = <const M extends string>(type: M, { maxBytes = mebibyte } = {}): Bytes<M> => ({
  kind: "bytes",
  type,
  maxBytes,
});
/** Bytes whose media type depends on the request. */
export const anyBytes = (): Bytes<"*/*"> => bytes("*/*");
export const html = (): Html => ({ kind: "html", type: "text/html" });
export const redirect = (): Redirect => ({ kind: "redirect" });
export const empty = (): Empty => ({ kind: "empty" });
export const form = <T>(schema: Schema<T>, { maxBytes }: { maxBytes: number }): Form<T> => ({
  kind: "form",
  type: "application/x-www-form-urlencoded",
  schema,
  maxBytes,
});
export const multipart = <T>(
  schema: Schema<T>,
  { maxBytes, maxFiles = 1 }: { maxBytes: number; maxFiles?: number },
): Multipart<T> => ({
  kind: "multipart",
  type: "multipart/form-data",
  schema,
  maxBytes,
  maxFiles,
});

/** The responses of an operation by status. If a status has several media, the Accept header chooses. */
export type Results = { readonly [status: number]: ResponseMedium | readonly ResponseMedium[] };

/** A rate limit of one operation, in addition to those of all. */
export interface OwnRate {
  policy: RatePolicy;
  /** Only requests with this query parameter are counted. */
  when?: string;
  /** The handler decides which requests count, since it knows more about their target. */
  byHandler?: boolean;
  /** Many people share the addresses of its callers: it does not count as a request without a token. */
  isForMany?: boolean;
}

/** One operation of the API as data. Its type parameters are plain data types, never schema types. */
export interface Operation<
  R extends Route = Route,
  A extends Access = Access,
  P = any,
  Q = any,
  B extends RequestMedium | readonly RequestMedium[] | undefined = any,
  S extends Results = Results,
  E extends ErrorCode = ErrorCode,
  V extends EventName = EventName,
  H = any,
> {
  readonly route: R;
  readonly access: A;
  readonly params?: Schema<P> | undefined;
  readonly query?: Schema<Q> | undefined;
  /** Header fields that only this operation reads, by lower-case name. */
  readonly headers?: Schema<H> | undefined;
  readonly body?: B | undefined;
  readonly results: S;
  /** The permission for single fields of the body, or of a read's query. Other fields need a role of `access.on`. */
  readonly fields?: { readonly [field: string]: FieldAccess | undefined } | undefined;
  /** The error codes in addition to those that its access, its body and the conventions imply. */
  readonly errors?: readonly E[] | undefined;
  /** The events it may write. */
  readonly emits?: readonly V[] | undefined;
  /** A rate limit in addition to those of all operations. */
  readonly rate?: OwnRate | undefined;
  /** A read that waits, with `Prefer: wait`, until what it shows changes. */
  readonly canWait?: boolean | undefined;
}

/** An operation with all fields undefined. The server spreads operations over it, so that all have the same fields. */
export const noOperation: Readonly<Record<keyof Operation, undefined>> = {
  route: undefined,
  access: undefined,
  params: undefined,
  query: undefined,
  headers: undefined,
  body: undefined,
  results: undefined,
  fields: undefined,
  errors: undefined,
  emits: undefined,
  rate: undefined,
  canWait: undefined,
};

type FieldsOf<B, Q> = B extends Json<infer T> ? T : Q;
type RolesOf<A extends Access> = A extends { on: infer O } ? RoleOf<keyof O & Kind> : never;

/** Describes an operation. It returns its argument, and adds the types. */
export function op<
  const R extends Route,
  const A extends Access,
  const S extends Results,
  P = {},
  Q = {},
  const B extends RequestMedium | readonly RequestMedium[] | undefined = undefined,
  const E extends ErrorCode = never,
  const V extends EventName = never,
  H = {},
>(operation: {
  route: R;
  access: A;
  params?: Schema<P>;
  query?: Schema<Q>;
  headers?: Schema<H>;
  body?: B;
  results: S;
  fields?: { readonly [F in keyof FieldsOf<B, Q>]?: FieldAccess<RolesOf<A>> };
  errors?: readonly E[];
  emits?: readonly V[];
  rate?: OwnRate;
  canWait?: boolean;
}): Operation<R, A, P, Q, B, S, E, V, H> {
  return operation;
}

type Each<M> = M extends readonly (infer Item)[] ? Item : M;

export type ParamsOf<O> = O extends Operation<any, any, infer P> ? P : never;
export type QueryOf<O> = O extends Operation<any, any, any, infer Q> ? Q : never;
export type HeadersOf<O> = O extends Operation<any, any, any, any, any, any, any, any, infer H> ? H : never;
export type BodyMediaOf<O> = O extends Operation<any, any, any, any, infer B> ? Each<B> : never;
export type ResultsOf<O> = O extends Operation<any, any, any, any, any, infer S> ? S : never;
export type AccessOf<O> = O extends Operation<any, infer A> ? A : never;
export type ErrorsOf<O> = O extends Operation<any, any, any, any, any, any, infer E> ? E : never;
export type EventsOf<O> = O extends Operation<any, any, any, any, any, any, any, infer V> ? V : never;
/** The media of one status. */
export type MediaOf<S extends Results, Status extends keyof S> = Each<S[Status]>;

/** Every id of a contract, dotted: `prompts.labels.put`. */
export type IdsOf<C, Prefix extends string = ""> = {
  [K in keyof C & string]: C[K] extends Operation<any, any, any, any, any, any, any, any>
    ? `${Prefix}${K}`
    : IdsOf<C[K], `${Prefix}${K}.`>;
}[keyof C & string];

/** The operation of a dotted id. */
export type At<C, Id extends string> = Id extends `${infer Head}.${infer Rest}`
  ? Head extends keyof C
    ? At<C[Head], Rest>
    : never
  : Id extends keyof C
    ? C[Id]
    : never;

export function isOperation(value: object): value is Operation {
  return typeof (value as { route?: unknown }).route === "string";
}

/** Lists the operations of a contract (or a part of one) with their dotted ids, in the order they are written. */
export function listOperations(tree: object, prefix = ""): { id: string; operation: Operation }[] {
  return Object.entries(tree).flatMap(([name, node]: [string, object]) =>
    isOperation(node) ? [{ id: prefix + name, operation: node }] : listOperations(node, `${prefix}${name}.`),
  );
}

/** A contract whose operations all need a token, but for those to which what is sent is a proof. */
export function forMembers<C extends object>(tree: C): C {
  const closed = Object.entries(tree).map(([name, node]: [string, object]) => [
    name,
    !isOperation(node)
      ? forMembers(node)
      : node.access.isProven
        ? node
        : { ...node, access: { ...node.access, auth: "required" } },
  ]);
  return Object.fromEntries(closed) as C;
}

/** The media of a response or a body, as a list. */
export function mediaList<M>(media: M | readonly M[] | undefined): readonly M[] {
  return media === undefined ? [] : Array.isArray(media) ? media : [media as M];
}

/** Whether an operation takes an `Idempotency-Key`: a POST, but no upload, since nobody keeps its bytes to compare. */
export const isRepeatable = ({ route, body }: Operation): boolean =>
  route.startsWith("POST ") &&
  !mediaList<RequestMedium>(body).some(({ kind }) => kind === "multipart" || kind === "bytes");

/** The error codes of an operation: those it declares, and those that its access and method imply. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { route, access, params, fields = {}, errors = [] } = operation;
  const isWrite = !route.startsWith("GET ");
  const abouts = aboutsOf(access);
  const rules = Object.values(fields).filter((rule) => rule !== undefined);
  const needsRole = abouts.some(({ on }) => Object.values(on).some((roles) => roles !== "viewers"));
  const needsScope = access.auth === "required" && access.scope !== "none";
  const implied: [boolean, ErrorCode[]][] = [
    [true, ["invalid_token", "validation_failed", "rate_limited", "internal_error", "unavailable"]],
    // A body is also read, and rejected, if the operation declares none.
    [true, ["invalid_json", "unsupported_media_type", "payload_too_large"]],
    [
      access.auth === "required" || rules.some(({ callerFor }) => callerFor !== undefined),
      ["unauthenticated"],
    ],
    [
      needsScope ||
        rules.some(({ scope }) => scope !== undefined) ||
        (access.restricted !== undefined && abouts.length > 0),
      ["token_scope"],
    ],
    [isWrite, ["account_suspended"]],
    [abouts.length > 0 || params !== undefined, ["not_found"]],
    [abouts.some((about) => kindsOf(about).some((kind) => targetKinds[kind].isMissed)), ["gone"]],
    [needsRole || rules.some(({ allow }) => allow !== undefined), ["forbidden"]],
    [
      true,
      abouts
        .flatMap(({ refuse, otherwise }) => [...Object.values(refuse ?? {}), otherwise])
        .filter((code) => code !== undefined),
    ],
    [isRepeatable(operation), ["idempotency_key_in_use", "idempotency_key_reused"]],
    [isWrite && abouts.length > 0, ["precondition_failed"]],
  ];
  return [...new Set([...implied.flatMap(([holds, codes]) => (holds ? codes : [])), ...errors])];
}
