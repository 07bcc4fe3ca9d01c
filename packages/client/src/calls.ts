import type { Page } from "@promptreg/core";
import type { AbortSignal, HeadersInit, Response } from "./web.ts";

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

/** Asks for an answer of another media type than the operation's default. */
export interface OtherMedium<Type> extends CallOptions {
  accept: Type;
}
