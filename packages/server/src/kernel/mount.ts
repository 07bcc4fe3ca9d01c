import { METHODS } from "node:http";
import { listOperations, type Operation } from "@promptreg/core";
import { type ApiError, apiError } from "@promptreg/core/errors";
import { respondWithError, sharing } from "@promptreg/core/wire";
import type { Context as HonoContext, Hono } from "hono";
import { inspectAnswer, inspectError } from "./check.ts";
import { addressOf, aside } from "./aside.ts";
import { networkOf } from "./client-address.ts";
import type { Failure } from "./failures.ts";
import { requestIdOf } from "./header.ts";
import { answerTypes } from "./input.ts";
import { Meter } from "./meter.ts";
import type { Mounted } from "./mounted.ts";
import { serve } from "./operate.ts";
import { RateLimited } from "./rate-counts.ts";
import { asApiError } from "./respond.ts";
import type { ServerContext } from "./server-context.ts";
import type { Target } from "./target.ts";

const prefix = "/api/v1";

/** `/a/{b}/{c*}` as the router writes it. */
const pattern = (path: string) =>
  prefix + path.replace(/\{(\w+)\*\}/g, ":$1{.+}").replace(/\{(\w+)\}/g, ":$1");

/** Static words before parameters at the same place, so that `/webhooks/events` is never taken for an id. */
const bySpecificity = (a: Mounted, b: Mounted) => {
  const shape = ({ operation }: Mounted) => operation.route.replace(/^\S+ /, "").replace(/\{[^/]*/g, "~");
  return shape(a) < shape(b) ? -1 : shape(a) > shape(b) ? 1 : 0;
};

/** The engine finds a field quicker where all objects have the same ones, in the same order. */
const inOneShape = ({
  route,
  access,
  params,
  query,
  headers,
  body,
  results,
  errors,
  emits,
  rate,
}: Operation): Operation => {
  const { auth, scope, on, from, allow } = access;
  return {
    route,
    access: { auth, scope, on, from, allow },
    params,
    query,
    headers,
    body,
    results,
    errors,
    emits,
    rate,
  };
};

const isList = ({ query }: Operation) => Object.hasOwn((query as { shape?: object })?.shape ?? {}, "cursor");

/** Mounts every operation of a contract below `/api/v1`; any other method on their paths answers 405 with Allow. */
export function mount(
  app: Hono,
  contract: object,
  {
    handlers,
    targets,
    server,
  }: { handlers: object; targets: Record<string, Target<any>>; server: ServerContext },
): void {
  const mounted = listOperations(contract)
    .map(({ id, operation }): Mounted => {
      const handler = id.split(".").reduce((node: any, name) => node[name], handlers);
      return {
        id,
        operation: inOneShape(operation),
        types: answerTypes(operation),
        handler: {
          prepare: handler.prepare,
          load: handler.load,
          handle: typeof handler === "function" ? handler : handler.handle,
          again: handler.again,
        },
        isList: isList(operation),
        target: operation.access.on && targets[operation.access.on],
      };
    })
    .sort(bySpecificity);

  const methods = new Map<string, string[]>();
  for (const one of mounted) {
    const [method = "", path = ""] = one.operation.route.split(" ");
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, allowed] of methods) {
    for (const one of mounted.filter(({ operation }) => operation.route.endsWith(` ${path}`))) {
      app.on(one.operation.route.split(" ", 1), pattern(path), (c) => answer(one, c, server));
    }
    const allow = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
    // Each by name: one handler for all methods would match along with every real one, and slow it down.
    const others = METHODS.filter((method) => method !== "OPTIONS" && !allow.split(", ").includes(method));
    const refuse = aside(server, (_c, id) => respondWithError(apiError("method_not_allowed"), id, { allow }));
    app.on(others, pattern(path), refuse);
    const options = aside(server, (_c, id) => permit(allow, id));
    app.on("OPTIONS", pattern(path), options);
  }
}

const sendable = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "X-Request-Id",
  "Traceparent",
  "Tracestate",
].join(", ");

/** Tells a browser what a page of another origin may send; it asks again after two hours, the most that all accept. */
const permit = (allow: string, requestId: string) =>
  new Response(null, {
    status: 204,
    headers: {
      ...sharing,
      "x-request-id": requestId,
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": sendable,
      "access-control-max-age": "7200",
    },
  });

async function answer(mounted: Mounted, c: HonoContext, server: ServerContext): Promise<Response> {
  const startedAt = performance.now();
  const requestId = requestIdOf(c);
  const { limiter } = server;
  const address = addressOf(c, server);
  const network = networkOf(address);
  const meter = limiter && new Meter(limiter, network);
  try {
    server.holdings.admit(network, 0);
    const response = await serve(mounted, c, { requestId, server, address, network, meter });
    if (server.checkAnswers) await inspectAnswer(mounted, response);
    if (c.req.method === "HEAD") await response.body?.cancel();
    return response;
  } catch (error) {
    const known = limited(asApiError(error), meter);
    if (known.status >= 500)
      server.failures.tell(error, failedRequest(mounted.id, { requestId, startedAt, status: known.status }));
    if (server.checkAnswers) inspectError(mounted, known, error);
    return respondWithError(known, requestId, known instanceof RateLimited ? known.fields : meter?.fields());
  }
}

/** What is logged of a request that failed by no fault of its own. */
export const failedRequest = (
  operation: string,
  { requestId, startedAt, status }: { requestId: string; startedAt: number; status: number },
): Failure => ({ operation, requestId, status, ms: Math.round(performance.now() - startedAt) });

/** Whoever tries one token after the other is told to slow down in the end. */
function limited(error: ApiError, meter: Meter | null): ApiError {
  if (error.status !== 401) return error;
  try {
    meter?.refuse();
    return error;
  } catch (refusal) {
    return asApiError(refusal);
  }
}
