import { exampleEnvelope } from "@promptreg/core";
import { signSync } from "@promptreg/core/webhooks/node";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { type HttpEvent, handler } from "./lambda.ts";

// The receiver reads it when it is loaded.
const secret = vi.hoisted(() => {
  vi.stubEnv("WEBHOOK_SECRET", "whsec_Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHNlY3JldCE");
  return process.env["WEBHOOK_SECRET"] as string;
});
vi.unstubAllEnvs();
let log: MockInstance<typeof console.log>;

beforeEach(() => {
  log = vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

let count = 0;
/** A new delivery, with characters outside ASCII. */
function newDelivery() {
  const id = `evt_${String((count += 1)).padStart(26, "0")}`;
  const body = `${JSON.stringify({ ...exampleEnvelope("ping"), id, data: { word: "é" } }, null, "\t")}\n`;
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "Service-Webhooks/1.0",
    "Service-Event": "ping",
    "Service-Delivery": "dlv_01jd0000000000000000000000",
    "Service-Signature": signSync(body, secret),
  };
  return { id, body, headers };
}

type Headers = ReturnType<typeof newDelivery>["headers"];
const inLowerCase = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const inLists = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
const base64 = (body: string) => Buffer.from(body).toString("base64");

/** Events as AWS documents them. */
const forms: Record<string, (body: string, headers: Headers) => HttpEvent & Record<string, unknown>> = {
  "a function URL": (body, headers) => ({
    version: "2.0",
    routeKey: "$default",
    rawPath: "/hook",
    rawQueryString: "",
    headers: { host: "id.lambda-url.eu-west-1.on.aws", ...inLowerCase(headers) },
    requestContext: { http: { method: "POST", path: "/hook", protocol: "HTTP/1.1" }, stage: "$default" },
    body: base64(body),
    isBase64Encoded: true,
  }),
  "an HTTP API, with the payload format 2.0": (body, headers) => ({
    version: "2.0",
    routeKey: "POST /hook",
    rawPath: "/hook",
    rawQueryString: "",
    headers: inLowerCase(headers),
    requestContext: { http: { method: "POST", path: "/hook" }, routeKey: "POST /hook" },
    body,
    isBase64Encoded: false,
  }),
  "a REST API, or the payload format 1.0": (body, headers) => ({
    resource: "/hook",
    path: "/hook",
    httpMethod: "POST",
    headers,
    multiValueHeaders: inLists(headers),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { resourcePath: "/hook", httpMethod: "POST", stage: "prod" },
    body,
    isBase64Encoded: false,
  }),
  "a REST API with binary media types": (body, headers) => ({
    resource: "/hook",
    path: "/hook",
    httpMethod: "POST",
    headers,
    multiValueHeaders: inLists(headers),
    requestContext: { resourcePath: "/hook", httpMethod: "POST" },
    body: base64(body),
    isBase64Encoded: true,
  }),
  "a load balancer with multi-value headers": (body, headers) => ({
    requestContext: { elb: { targetGroupArn: "arn:aws:elasticloadbalancing:…" } },
    httpMethod: "POST",
    path: "/hook",
    multiValueHeaders: inLists(inLowerCase(headers)),
    body,
    isBase64Encoded: false,
  }),
};

describe.each(Object.entries(forms))("on Lambda behind %s", (_, eventOf) => {
  test("handles a signed request once, by its raw bytes", async () => {
    const { id, body, headers } = newDelivery();
    expect(await handler(eventOf(body, headers))).toEqual({ statusCode: 204 });
    expect(await handler(eventOf(body, headers))).toEqual({ statusCode: 204 });
    expect(log.mock.calls).toEqual([[`${id}: ping`]]);
  });

  test("refuses changed and unsigned requests with 400", async () => {
    const { body, headers } = newDelivery();
    const unsigned = { ...headers, "Service-Signature": "" };
    expect(await handler(eventOf(body.replace("é", "e"), headers))).toEqual({ statusCode: 400 });
    expect(await handler(eventOf(body, unsigned))).toEqual({ statusCode: 400 });
    expect(log).not.toHaveBeenCalled();
  });
});

test("refuses with 400 a request that has neither a body nor headers", async () => {
  expect(await handler({ body: null, headers: null })).toEqual({ statusCode: 400 });
});
