import type { Page } from "@promptreg/core";
import type { AbortSignal, HeadersInit, Response } from "./web.ts";

/** Options of a single call. */
export interface CallOptions {
  /** Cancels the call, also between attempts. The promise rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  headers?: HeadersInit | undefined;
  /** For POST: the server executes a call with the same key only once. Default: a random key. */
  idempotencyKey?: string | undefined;
  /** Instead of the client's. */
  timeoutMs?: number | undefined;
  /** Instead of the client's. */
  deadlineMs?: number | undefined;
}

/** The data with its response, for the headers. The response body has been read, unless the response is the data. */
export interface Answered<T> {
  data: T;
  response: Response;
}

/** A call: a promise of its data. */
export interface Call<T> extends Promise<T> {
  /** Gives the response too. It rejects when the call does. */
  withResponse(): Promise<Answered<T>>;
}

/**
 * A call for a page of a list. `for await` gives each item of this page and of all pages after it. Each page is
 * requested when it is needed, with the options of the first; a `cursor` sets the start. `Whole` is a page that says more
 * than its items, such as the verdict of a comparison.
 */
export interface List<T, Whole extends Page<T> = Page<T>> extends Call<Whole>, AsyncIterable<T> {}

/** Asks for an answer of another media type than the operation's default. */
export interface OtherMedium<Type> extends CallOptions {
  accept: Type;
}

/** Says what a body of text or bytes is. */
export interface SentAs<Type> extends CallOptions {
  /** Default: the first type that the operation takes. */
  contentType?: Type | undefined;
}

/** The input of any operation. The compiler has checked it. */
export interface AnyInput {
  [param: string]: unknown;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

export type AnyOptions = CallOptions & Partial<OtherMedium<string>> & SentAs<string>;
