import { createServer } from "node:http";
import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { listen } from "../../../test/waiting.ts";
import { openTracing } from "./tracing.ts";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

let server: TestServer;
let alice: Person;
const received: (string | undefined)[] = [];
const receiver = createServer((request, response) => {
  received.push(request.headers["traceparent"] as string | undefined);
  response.end();
});

beforeAll(async () => {
  provider.register();
  server = await startTestServer();
  alice = await server.join("alice");
  await publish(alice, "greeting", { files: filesOf("A text that no span has") });
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  await server.stop();
  await provider.shutdown();
  for (const api of [trace, context, propagation]) api.disable();
  openTracing();
  receiver.close();
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
const spansOf = (id = traceId) =>
  exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === id);
const named = (name: string | RegExp, spans: ReadableSpan[] = spansOf()) =>
  spans.filter((span) => (typeof name === "string" ? span.name === name : name.test(span.name)));
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

describe("a process with an SDK of OpenTelemetry", () => {
  test("has a span for each request, within the caller's trace, and for each of its statements", async () => {
    await alice.request("PATCH /prompts/alice/greeting", { body: { summary: "No span has this" }, headers });
    const [request, ...others] = named("PATCH /api/v1/prompts/{owner}/{slug}");
    expect(others).toEqual([]);
    expect(parentOf(request)).toBe("b7ad6b7169203331");
    expect(request?.attributes).toMatchObject({
      "http.request.method": "PATCH",
      "http.route": "/api/v1/prompts/{owner}/{slug}",
      "http.response.status_code": 200,
      "promptreg.operation": "prompts.update",
    });
    const statements = named(/^postgresql /);
    expect(statements.length).toBeGreaterThan(3);
    expect(new Set(statements.map(parentOf))).toEqual(new Set([request?.spanContext().spanId]));
    expect(statements.map(({ attributes }) => attributes["db.query.text"])).toContainEqual(
      expect.stringMatching(/update prompts set[^]*\$1/),
    );
    const all = JSON.stringify(
      spansOf().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(all).not.toMatch(/no span has|greeting|prt_/i);
  });

  test("leads from a request to the delivery of its event, and on to the receiver", async () => {
    const url = await listen(receiver);
    await alice.request("POST /webhooks", { body: { url, events: ["prompt.version.created"] } });
    await alice.request("POST /prompts/alice/greeting/versions", {
      body: { files: filesOf("Two") },
      headers,
    });
    await server.workOff();
    const alone = named(/^postgresql/, exporter.getFinishedSpans()).filter(
      (span) => parentOf(span) === undefined,
    );
    expect(alone).toEqual([]);
    const [request] = named("POST /api/v1/prompts/{owner}/{slug}/versions");
    const [delivery] = named("deliver prompt.version.created");
    expect(parentOf(delivery)).toBe(request?.spanContext().spanId);
    expect(delivery?.attributes).toMatchObject({ "promptreg.attempt": 1, "http.response.status_code": 200 });
    expect(received).toEqual([`00-${traceId}-${delivery?.spanContext().spanId}-01`]);
    await alice.request("PATCH /prompts/alice/greeting", { body: { visibility: "private" } });
    await server.workOff();
    expect(named(/^job /, exporter.getFinishedSpans()).map(({ name }) => name)).toContain("job withdraw");
  });

  test("says which delivery failed, and how", async () => {
    const { json: webhook } = await alice.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } });
    const { json } = await alice.request(`POST /webhooks/${webhook.id}/test`);
    await server.workOff();
    const [delivery] = named("deliver ping", exporter.getFinishedSpans());
    expect(delivery?.attributes).toEqual({
      "promptreg.event": "ping",
      "promptreg.delivery": json.id,
      "promptreg.attempt": 1,
      "error.type": "connect",
    });
    expect(delivery?.status.code).toBe(SpanStatusCode.ERROR);
  });

  test("marks what failed, by its kind and not by its message", async () => {
    await server.sql`alter table prompts rename to prompts_away`;
    const { checkAnswers } = server.context;
    server.context.checkAnswers = false;
    try {
      const { status } = await alice.request("GET /prompts/alice/greeting", { headers });
      expect(status).toBe(500);
    } finally {
      server.context.checkAnswers = checkAnswers;
      await server.sql`alter table prompts_away rename to prompts`;
    }
    const failed = spansOf().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    const types = failed.map(({ attributes }) => attributes["error.type"]);
    expect(types).toEqual(expect.arrayContaining(["42P01", "500"]));
    expect(failed.every(({ status, events }) => status.message === undefined && events.length === 0)).toBe(
      true,
    );
  });
});

test("a process without one starts no span, and writes none into events", async () => {
  for (const api of [trace, context, propagation]) api.disable();
  openTracing();
  try {
    await alice.request("POST /prompts/alice/greeting/versions", {
      body: { files: filesOf("Three") },
      headers,
    });
    expect(exporter.getFinishedSpans()).toEqual([]);
    const [event] = await server.sql`select traceparent from events order by created_at desc limit 1`;
    expect(event?.["traceparent"]).toBeNull();
  } finally {
    provider.register();
    openTracing();
  }
});
