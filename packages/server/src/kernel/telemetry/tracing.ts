import {
  type Attributes,
  type Context,
  context,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { release } from "../../release.ts";

// Spans go to the SDK of OpenTelemetry that the operator loads before this program, with `node --import`. It samples and exports them. Without one, nothing
// of this is done. Spans have no path, query, value or text.

let isOn = false;

/** Looks whether the process has an SDK. Call it before the first span. */
export function openTracing(): void {
  const provider = trace.getTracerProvider();
  isOn =
    !(provider instanceof ProxyTracerProvider) ||
    provider.getDelegate() !== new ProxyTracerProvider().getDelegate();
}

export interface SpanAbout {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
}

/** What a span belongs to. */
type Within = () => Context;

/** What a request belongs to: the span of another instrumentation, which has read its headers, or what they name (W3C Trace Context). */
export const ofRequest =
  (headers: Readonly<Record<string, unknown>>): Within =>
  () => {
    const active = context.active();
    return trace.getSpan(active) === undefined ? propagation.extract(active, headers) : active;
  };

/** The request that caused an event. Whatever woke the worker has nothing to do with it. */
export const ofEvent =
  (traceparent: string | null): Within =>
  () =>
    propagation.extract(ROOT_CONTEXT, { traceparent });

/** Nothing: it begins a trace. */
export const alone: Within = () => ROOT_CONTEXT;

/** Whether spans are made. */
export const isTracing = (): boolean => isOn;

/** Does work in a span; null if there is none. It ends with the work, and says whether that failed. */
export async function inSpan<T>(
  { name, kind, attributes = {} }: SpanAbout,
  within: Within,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (!isOn) return work(null);
  return tracerOf().startActiveSpan(name, { kind, attributes }, within(), async (span) => {
    try {
      return await work(span);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

const tracerOf = () => trace.getTracer("promptreg", release);

/** Marks a span as failed, without the message of the error: that may quote a row. */
export function fail(span: Span | null, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: string | number; name?: string };
  span?.setAttribute("error.type", String(code ?? name ?? "error")).setStatus({ code: SpanStatusCode.ERROR });
}

/** The `traceparent` of what runs now; null if it is not traced. */
export function traceparent(): string | null {
  if (!isOn) return null;
  return traceHeaders()["traceparent"] ?? null;
}

/** The headers that tell a receiver what a request belongs to. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isOn) propagation.inject(context.active(), headers);
  return headers;
}

/** A query of the driver, as far as it is followed. */
interface FollowedQuery {
  executed: boolean;
  strings: readonly string[];
  statement: { string: string } | null;
  handle: (this: FollowedQuery) => unknown;
  resolve: (this: void, result: unknown) => void;
  reject: (this: void, error: unknown) => void;
}

/**
 * Follows a query from when it is executed until its answer. The driver has no other way to hear of both (postgres 3.4.9); fragments are never
 * executed. Values are not in the text of a statement. What workers look for each second belongs to no span, and would be a trace each time.
 */
export function followQuery<T>(made: T): T {
  if (!isOn) return made;
  const query = made as FollowedQuery;
  if (typeof query?.handle !== "function") return made;
  const { handle, resolve, reject } = query;
  query.handle = function begin() {
    if (query.executed || trace.getSpan(context.active()) === undefined) return handle.call(query);
    const [verb = "query"] = query.strings[0]?.trim().split(/\s/) ?? [];
    const span = tracerOf().startSpan(`postgresql ${verb}`, {
      attributes: { "db.system.name": "postgresql", "db.operation.name": verb },
    });
    const end = () => {
      if (query.statement) span.setAttribute("db.query.text", query.statement.string);
      span.end();
    };
    query.resolve = (result) => {
      end();
      resolve(result);
    };
    query.reject = (error) => {
      fail(span, error);
      end();
      reject(error);
    };
    return handle.call(query);
  };
  return made;
}
