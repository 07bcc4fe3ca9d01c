import { SpanKind } from "@opentelemetry/api";
import { type About, type Kind, kindsOf, listOperations, noOperation, type Operation } from "@promptreg/core";
import { type ApiError, apiError } from "@promptreg/core/errors";
import { respondWithError, corsHeaders } from "@promptreg/core/wire";
import type { Context as HonoContext, Hono } from "hono";
import { inspectResponse, inspectError } from "./check.ts";
import { addressOfClient, metered } from "./metered.ts";
import { networkOf } from "../http/client-address.ts";
import type { Failure } from "../failures/failures.ts";
import { accessOf } from "../http/closed.ts";
import { incomingOf, requestIdOf } from "../http/header.ts";
import { responseTypes } from "../input/input.ts";
import { Meter } from "../rate-limits/meter.ts";
import { fail, inSpan, isTracing, ofRequest } from "../telemetry/tracing.ts";
import { noHandler } from "../handler.ts";
import type { Aim, Mounted } from "../mounted.ts";
import { serve } from "./operate.ts";
import { asApiError } from "../failures/as-api-error.ts";
import type { ServerContext } from "../server-context.ts";
import type { TargetKind } from "../target.ts";

const prefix = "/api/v1";

/** `/a/{b}/{c*}` in the router's syntax. */
const pattern = (path: string) =>
  prefix + path.replace(/\{(\w+)\*\}/g, ":$1{.+}").replace(/\{(\w+)\}/g, ":$1");

const methodOf = ({ route }: Operation) => route.slice(0, route.indexOf(" "));
/** Whoever can read can ask for the headers alone. */
const methodsOf = (operation: Operation) =>
  methodOf(operation) === "GET" ? ["GET", "HEAD"] : [methodOf(operation)];
const pathOf = ({ route }: Operation) => route.slice(route.indexOf(" ") + 1);

/** Orders static words before parameters in the same position, so that `/webhooks/events` is never read as an id. */
const bySpecificity = (a: Mounted, b: Mounted) => {
  const shape = ({ operation }: Mounted) => pathOf(operation).replace(/\{[^/]*/g, "~");
  return shape(a) < shape(b) ? -1 : shape(a) > shape(b) ? 1 : 0;
};

/** The engine reads fields faster if all objects have the same ones in the same order. */
const inOneShape = (operation: Operation): Operation => ({ ...noOperation, ...operation });

const isList = ({ query }: Operation) => Object.hasOwn((query as { shape?: object })?.shape ?? {}, "cursor");

/** How to find a target, for each kind that it can be of. */
function aimAt(about: About, targets: Partial<Record<Kind, TargetKind<any>>>): Aim {
  const { from } = about;
  return {
    about,
    kinds: kindsOf(about).map((kind) => {
      const target = targets[kind];
      if (target === undefined) throw new Error(`no group brings targets of the kind ${kind}`);
      return { kind, target };
    }),
    from: from === undefined ? null : from.replace("?", "").split("."),
    isOptional: from?.endsWith("?") ?? false,
  };
}

/** Mounts every operation of a contract under `/api/v1`. Other methods on their paths answer 405 with Allow. */
export function mount(
  app: Hono,
  contract: object,
  {
    handlers,
    targets,
    server,
  }: { handlers: object; targets: Partial<Record<Kind, TargetKind<any>>>; server: ServerContext },
): void {
  const mounted = listOperations(contract)
    .map(({ id, operation }): Mounted => {
      const handler = id.split(".").reduce((node: any, name) => node[name], handlers);
      const { on, with: others = {} } = operation.access;
      return {
        id,
        operation: inOneShape(operation),
        isRead: methodOf(operation) === "GET",
        isPost: methodOf(operation) === "POST",
        types: responseTypes(operation),
        handler:
          typeof handler === "function" ? { ...noHandler, handle: handler } : { ...noHandler, ...handler },
        server,
        isList: isList(operation),
        aim: on && aimAt({ ...operation.access, on }, targets),
        others: Object.entries(others).map(([name, about]) => [name, aimAt(about, targets)]),
        fields: operation.fields,
        read: undefined,
      };
    })
    .sort(bySpecificity);

  const respondTo = isTracing() ? answerInSpan : answer;
  for (const [path, all] of Map.groupBy(mounted, ({ operation }) => pathOf(operation))) {
    const byMethod = new Map(all.flatMap((one) => methodsOf(one.operation).map((method) => [method, one])));
    const read = byMethod.get("GET");
    for (const one of all) if (/^(PUT|PATCH) /.test(one.operation.route)) one.read = read;
    const allow = [...byMethod.keys()].join(", ");
    const answerOthers = metered(server, (c, id) =>
      c.req.method === "OPTIONS"
        ? permit(allow, id)
        : respondWithError(apiError("method_not_allowed"), id, { allow }),
    );
    // One route for all methods: the router grows with each, and is slower where a request matches several.
    app.all(pattern(path), (c) => {
      const one = byMethod.get(c.req.method);
      return one ? respondTo(one, c, server) : answerOthers(c);
    });
  }
}

const sendable = [
  "Authorization",
  "Content-Range",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Prefer",
  "X-Request-Id",
  "Traceparent",
  "Tracestate",
].join(", ");

/** The preflight response for pages of other origins. Two hours is the longest that all browsers accept. */
const permit = (allow: string, requestId: string) =>
  new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders,
      "x-request-id": requestId,
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": sendable,
      "access-control-max-age": "7200",
    },
  });

/** Answers in a span of its own. */
function answerInSpan(mounted: Mounted, c: HonoContext, server: ServerContext): Promise<Response> {
  const { id, operation } = mounted;
  const [method, route] = [methodOf(operation), prefix + pathOf(operation)];
  const attributes = { "http.request.method": method, "http.route": route, "promptreg.operation": id };
  const about = { name: `${method} ${route}`, kind: SpanKind.SERVER, attributes };
  return inSpan(about, ofRequest(incomingOf(c)?.headers ?? {}), async (span) => {
    const response = await answer(mounted, c, server);
    span?.setAttribute("http.response.status_code", response.status);
    if (response.status >= 500) fail(span, { code: String(response.status) });
    return response;
  });
}

async function answer(mounted: Mounted, c: HonoContext, server: ServerContext): Promise<Response> {
  const startedAt = performance.now();
  const requestId = requestIdOf(c);
  const { limiter } = server;
  const access = accessOf(c);
  if (access) Object.assign(access, { operation: mounted.id, requestId });
  const address = addressOfClient(c, server);
  const network = networkOf(address);
  // What the process asks itself was counted where it was asked.
  const meter = limiter && incomingOf(c) ? new Meter(limiter, network) : null;
  try {
    server.holdings.admit(network, 0);
    const response = await serve(mounted, c, { requestId, server, address, network, meter, access });
    if (server.checkAnswers) await inspectResponse(mounted, response);
    if (c.req.method === "HEAD") await response.body?.cancel();
    return response;
  } catch (error) {
    const known = limited(asApiError(error), meter);
    if (access) access.code = known.code;
    if (known.status >= 500)
      server.failures.report(
        error,
        failedRequest(mounted.id, { requestId, startedAt, status: known.status }),
      );
    else server.failures.refuse(known.code, { operation: mounted.id, requestId, network });
    if (server.checkAnswers) inspectError(mounted, known, error);
    return respondWithError(known, requestId, meter?.fields());
  }
}

/** What is logged about a request that failed through no fault of its own. */
export const failedRequest = (
  operation: string,
  { requestId, startedAt, status }: { requestId: string; startedAt: number; status: number },
): Failure => ({ operation, requestId, status, ms: Math.round(performance.now() - startedAt) });

/**
 * Counts a 401 against its limit: whoever tries many tokens gets 429. A signature cannot be found by trying, and Discord sends wrong ones to
 * see whether they get 401.
 */
function limited(error: ApiError, meter: Meter | null): ApiError {
  if (error.status !== 401 || error.code === "invalid_signature") return error;
  try {
    meter?.refuse();
    return error;
  } catch (refusal) {
    return asApiError(refusal);
  }
}
