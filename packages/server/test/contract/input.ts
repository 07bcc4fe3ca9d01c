// oxlint-disable vitest/no-conditional-tests -- which tests an operation has follows from what it declares
import {
  comparesTarget,
  contract,
  listOperations,
  mediaList,
  type Operation,
  type RequestMedium,
} from "@promptreg/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { operationScenes } from "../group-scenes.ts";
import { addressOf, type Parts } from "../requests.ts";
import { expectError } from "./expect.ts";
import {
  alike,
  castings,
  fresh,
  hasTarget,
  inTurn,
  isList,
  isWrite,
  methodOf,
  pathOf,
  request,
  send,
  shared,
  type Subject,
} from "./requests.ts";

/** How an operation handles its input. */
export function testInput(subject: Subject): void {
  const { operation } = subject;
  const kinds = castings(operation)[0] ?? [];
  const parts = async () => request(subject, await shared(subject.stage, kinds));

  test("rejects an unknown query parameter, by name", async () => {
    const answer = await send(subject, subject.stage.owner, await parts(), { query: { nonsense: "1" } });
    expectError(answer, "validation_failed");
    expect(answer.json.error.details).toMatchObject([{ path: "/nonsense", code: "unrecognized_keys" }]);
  });

  test("ignores tracking parameters", alike(subject, 2), async () => {
    const { owner, viewer } = subject.stage;
    const query = { utm_source: "mail", utm_campaign: "x" };
    const who = hasTarget(operation) ? owner : viewer;
    const asked = request(subject, await fresh(subject));
    const decorated = await send(subject, who, asked, { query });
    expect(Object.keys(operation.results).map(Number)).toContain(decorated.status);
    if (isWrite(operation)) return;
    const bare = await send(subject, who, asked);
    expect([decorated.status, decorated.text]).toEqual([bare.status, bare.text]);
    expect(decorated.headers.get("etag")).toBe(bare.headers.get("etag"));
  });

  const [medium] = mediaList(operation.body);
  if (medium?.kind === "json") testBody(subject, { medium, parts });
  if (isList(operation)) testPages(subject, parts);

  const operations = listOperations(contract).map((other) => other.operation);
  test("returns the allowed methods to any other method", alike(subject, 0), async () => {
    const siblings = operations.filter((other) => pathOf(other) === pathOf(operation));
    const own = siblings.map(methodOf);
    const allowed = own.includes("GET") ? [...own, "HEAD"] : own;
    const others = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter(
      (name) => !allowed.includes(name),
    );
    const method = inTurn(subject, others);
    const answer = await send(subject, subject.stage.owner, await parts(), { method, body: undefined });
    expect([method, answer.status]).toEqual([method, 405]);
    expect(answer.headers.get("allow")?.split(", ").sort()).toEqual([...allowed].sort());
  });

  const { access } = operation;
  const isCompared = comparesTarget(access) && (methodOf(operation) !== "POST" || access.on !== undefined);
  if (isWrite(operation) && isCompared) {
    test("changes nothing if If-Match has an old ETag", alike(subject, 1), async () => {
      const headers = { "if-match": '"stale"' };
      expectError(
        await send(subject, subject.stage.owner, request(subject, await fresh(subject)), { headers }),
        "precondition_failed",
      );
    });
  }
}

interface Sample {
  medium: Extract<RequestMedium, { kind: "json" }>;
  parts: () => Promise<Parts>;
}

function testBody(subject: Subject, { medium: { type, maxBytes }, parts }: Sample): void {
  const sendRaw = async (body: unknown, headers: Record<string, string> = { "content-type": type }) =>
    send(subject, subject.stage.owner, await parts(), { body, headers });

  test("rejects an unknown field, by name", async () => {
    const answer = await sendRaw({ ...((await parts()).body as object), nonsense: 1 });
    expectError(answer, "validation_failed");
    expect(answer.json.error.details).toContainEqual({
      path: "/nonsense",
      code: "unrecognized_keys",
      message: expect.any(String),
    });
  });

  test("rejects a body with another content type, or none", alike(subject, 0), async () => {
    const body = JSON.stringify((await parts()).body);
    const other = inTurn(subject, ["text/plain", "application/xml", ""]);
    expectError(await sendRaw(body, { "content-type": other }), "unsupported_media_type");
  });

  test("rejects a body that is not JSON", alike(subject, 1), async () => {
    const broken = inTurn(subject, ["", "{", "{}x", "NaN", "\ufeff\ufeff{}"]);
    expectError(await sendRaw(broken), "invalid_json");
  });

  test("rejects a body over its limit, with Content-Length or without", alike(subject, 2), async () => {
    const { server, owner } = subject.stage;
    const tooLong = new Uint8Array(maxBytes + 1).fill(0x20);
    if (inTurn(subject, [true, false])) return expectError(await sendRaw(tooLong), "payload_too_large");
    const response = await fetch(`${server.url}/api/v1${addressOf(subject.operation, await parts())}`, {
      method: methodOf(subject.operation),
      headers: { authorization: `Bearer ${owner.token}`, "content-type": type },
      body: new Blob([tooLong]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "payload_too_large" } });
  });
}

function testPages(subject: Subject, parts: () => Promise<Parts>): void {
  test("rejects a malformed cursor, or one of another list", alike(subject, 1), async () => {
    const { owner } = subject.stage;
    const { thing } = await subject.stage.shared("prompt", "private");
    const other = await owner.request(`GET /prompts/${thing.address}/versions?limit=1`);
    for (const cursor of ["x", "", other.json.nextCursor])
      expectError(await send(subject, owner, await parts(), { query: { cursor } }), "invalid_cursor");
  });

  test("returns as many items as requested, page after page in each order, and rejects a limit that is too small or too large", async () => {
    const { stage, operation, id } = subject;
    const things = await shared(stage, castings(operation)[0] ?? []);
    await operationScenes[id]?.fill?.(stage, things[0]?.thing ?? { params: {}, address: "" });
    for (const order of ordersOf(operation)) {
      const page = async (query: Record<string, unknown>) =>
        (await send(subject, stage.owner, await parts(), { query: { ...order, ...query } })).json;
      const { items } = await page({ limit: 2 });
      expect(items).toHaveLength(2);
      const first = await page({ limit: 1 });
      const second = await page({ limit: 1, cursor: first.nextCursor });
      expect([order, first.items, second.items]).toEqual([order, [items[0]], [items[1]]]);
    }
    const query = { limit: inTurn(subject, [0, 501, -1, "all"]) };
    expectError(await send(subject, stage.owner, await parts(), { query }), "validation_failed");
  });
}

/** Orders that some lists have only once something is searched, or decided. */
const later = ["relevance", "rank"];

/** The other orders of a list, as queries. */
function ordersOf({ query }: Operation): object[] {
  const { properties = {} } = z.toJSONSchema(query as z.ZodType, { io: "input", unrepresentable: "any" });
  const { enum: orders } = (properties["sort"] ?? {}) as { enum?: string[] };
  return orders?.filter((sort) => !later.includes(sort)).map((sort) => ({ sort })) ?? [{}];
}
