import { aboutsOf, type Access, type FieldAccess, kindsOf } from "./access.ts";
import type { ErrorCode } from "./errors.ts";
import type { EventName } from "./events.ts";
import type { RatePolicy } from "./rate-limits.ts";
import type { Schema } from "./schema.ts";
import { type Kind, type RoleOf, targetKinds } from "./targets.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Method and path below `/api/v1`; `{name}` takes one segment, `{name*}` all that follow. */
export type Route = `${Method} /${string}`;

/** Whether an operation can answer that its target has another address now. */
export const canMove = ({ access: { on = {}, from } }: Operation): boolean =>
  from === undefined && kindsOf({ on }).some((kind) => targetKinds[kind].moves);

/** JSON that the database already printed: it is sent as it is, without a parse and a print on the way. */
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
/** A medium: bytes that nothing reads or checks. */
export interface Bytes<M extends string = string> {
  kind: "bytes";
  type: M;
}
/** A medium: a page for people. */
export interface Html {
  kind: "html";
  type: "text/html";
}
/** An answer that is only a `Location`. */
export interface Redirect {
  kind: "redirect";
}
/** An answer without a body. */
export interface Empty {
  kind: "empty";
}
/** Fields as the forms of pages send them: a name that stands once gives its text, one that is repeated a list. */
export interface Form<T> {
  kind: "form";
  type: "application/x-www-form-urlencoded";
  schema: Schema<T>;
  maxBytes: number;
}
/** Form fields that fit `schema`, and files that the server spools to disk; `maxBytes` bounds each file. */
export interface Multipart<T> {
  kind: "multipart";
  type: "multipart/form-data";
  schema: Schema<T>;
  maxBytes: number;
}

/** What a body can be. Each `any` is the data of some schema. */
export type RequestMedium = Json<any> | Text | Bytes | Form<any> | Multipart<any>;
/** What an answer can be. The `any` is the data of some schema. */
export type ResponseMedium = Json<any> | Text | Bytes | Html | Redirect | Empty;

const mebibyte = 1024 * 1024;

/** A JSON body of at most `maxBytes` (1 MiB unless files, cases or results travel in it). */
export const json = <T>(schema: Schema<T>, { maxBytes = mebibyte } = {}): Json<T> => ({
  kind: "json",
  type: "application/json",
  schema,
  maxBytes,
});
/** The limit for JSON that carries files, cases or results: base64 grows them by a third. */
export const largeBody = { maxBytes: 16 * mebibyte };
export const text = <const M extends string = "text/plain">(
  type = "text/plain" as M,
  { maxBytes = mebibyte } = {},
): Text<M> => ({ kind: "text", type, maxBytes });
export const bytes = <const M extends string>(type: M): Bytes<M> => ({ kind: "bytes", type });
export const html = (): Html => ({ kind: "html", type: "text/html" });
export const redirect = (): Redirect => ({ kind: "redirect" });
export const empty = (): Empty => ({ kind: "empty" });
export const form = <T>(schema: Schema<T>, { maxBytes }: { maxBytes: number }): Form<T> => ({
  kind: "form",
  type: "application/x-www-form-urlencoded",
  schema,
  maxBytes,
});
export const multipart = <T>(schema: Schema<T>, { maxBytes }: { maxBytes: number }): Multipart<T> => ({
  kind: "multipart",
  type: "multipart/form-data",
  schema,
  maxBytes,
});

/** The answers of an operation: by status, and where a status has several, by what the caller accepts. */
export type Results = { readonly [status: number]: ResponseMedium | readonly ResponseMedium[] };

/** A limit that an operation has beside those of all. */
export interface OwnRate {
  policy: RatePolicy;
  /** Only requests with this query parameter are counted. */
  when?: string;
  /** Only requests are counted of which the handler says so: it knows more of what they act on. */
  byHandler?: boolean;
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
  /** Header fields that the operation itself reads, by lower-case name; the conventions' own are not among them. */
  readonly headers?: Schema<H> | undefined;
  readonly body?: B | undefined;
  readonly results: S;
  /** What single fields of the body take, or of a read's query. Others take a role of `access.on`. */
  readonly fields?: { readonly [field: string]: FieldAccess | undefined } | undefined;
  /** The codes it can answer beyond those that its access, its body and the conventions imply. */
  readonly errors?: readonly E[] | undefined;
  /** The events it may write. */
  readonly emits?: readonly V[] | undefined;
  /** A limit of its own beside those that all operations have. */
  readonly rate?: OwnRate | undefined;
}

/** An operation of which nothing is said. The server spreads operations over it, so that all have the same fields. */
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
};

type FieldsOf<B, Q> = B extends Json<infer T> ? T : Q;
type RolesOf<A extends Access> = A extends { on: infer O } ? RoleOf<keyof O & Kind> : never;

/** Describes an operation. What it returns is what it was given; the types are what it adds. */
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

/** The media of an answer or a body, as a list. */
export function mediaList<M>(media: M | readonly M[] | undefined): readonly M[] {
  return media === undefined ? [] : Array.isArray(media) ? media : [media as M];
}

/** The codes an operation can answer: those it declares, and those its access and method imply. */
export function errorsOf({ route, access, params, fields = {}, errors = [] }: Operation): ErrorCode[] {
  const isWrite = !route.startsWith("GET ");
  const abouts = aboutsOf(access);
  const rules = Object.values(fields).filter((rule) => rule !== undefined);
  const needsRole = abouts.some(({ on }) => Object.values(on).some((roles) => roles !== "viewers"));
  const needsScope = access.auth === "required" && access.scope !== "none";
  const implied: [boolean, ErrorCode[]][] = [
    [true, ["invalid_token", "validation_failed", "rate_limited", "internal_error", "unavailable"]],
    // A body is read where none is declared too, and refused.
    [true, ["invalid_json", "unsupported_media_type", "payload_too_large"]],
    [
      access.auth === "required" || rules.some(({ callerFor }) => callerFor !== undefined),
      ["unauthenticated"],
    ],
    [needsScope || rules.some(({ scope }) => scope !== undefined), ["token_scope"]],
    [isWrite, ["account_suspended"]],
    [abouts.length > 0 || params !== undefined, ["not_found"]],
    [abouts.some((about) => kindsOf(about).some((kind) => targetKinds[kind].isMissed)), ["gone"]],
    [needsRole || rules.some(({ allow }) => allow !== undefined), ["forbidden"]],
    [
      true,
      abouts.flatMap(
        ({ refuse = {}, otherwise = [] }) => [...Object.values(refuse), otherwise].flat() as ErrorCode[],
      ),
    ],
    [route.startsWith("POST "), ["idempotency_key_in_use", "idempotency_key_reused"]],
    [isWrite && !route.startsWith("POST ") && abouts.length > 0, ["precondition_failed"]],
  ];
  return [...new Set([...implied.flatMap(([holds, codes]) => (holds ? codes : [])), ...errors])];
}
