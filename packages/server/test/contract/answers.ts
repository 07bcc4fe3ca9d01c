// oxlint-disable vitest/no-conditional-tests -- which tests an operation has follows from what it declares
import { contract, listOperations, mediaList } from "@promptreg/core";
import { expect, test } from "vitest";
import { operationScenes } from "../group-scenes.ts";
import { expectTimes } from "./expect.ts";
import { auditedBy, isAudited } from "./targets.ts";
import {
  alike,
  castings,
  fresh,
  isWrite,
  methodOf,
  pathOf,
  request,
  send,
  shared,
  type Subject,
} from "./requests.ts";

/** The responses of an operation. */
export function testAnswers(subject: Subject): void {
  const { id, operation } = subject;
  const kinds = castings(operation)[0] ?? [];
  const parts = async () => request(subject, await shared(subject.stage, kinds));

  test("keeps the request id it is given, and makes one otherwise", alike(subject, 0), async () => {
    const sendAs = async (requestId: string) =>
      send(subject, null, await parts(), { headers: { "x-request-id": requestId } });
    expect((await sendAs("given-by-us")).headers.get("x-request-id")).toBe("given-by-us");
    expect((await sendAs("short")).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  if (!isWrite(operation)) {
    test("answers HEAD as GET, without the body", alike(subject, 2), async () => {
      const { owner } = subject.stage;
      const headers = { "x-request-id": "the-same-for-both" };
      const got = await send(subject, owner, await parts(), { headers });
      const head = await send(subject, owner, await parts(), { method: "HEAD", headers });
      expect([head.status, head.text]).toEqual([got.status, ""]);
      for (const name of ["content-type", "etag", "cache-control", "vary", "x-request-id"])
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    });

    test(
      "returns 304 to a caller with its ETag, with the same cache headers, and to nobody else",
      alike(subject, 2),
      async () => {
        const ask = async (headers: Record<string, string> = {}) =>
          send(subject, subject.stage.owner, await parts(), { headers });
        const { headers } = await ask();
        const etag = headers.get("etag");
        expect(etag === null).toBe(operationScenes[id]?.etag === "none");
        if (etag === null) return;
        for (const ifNoneMatch of [etag, "*"]) {
          const held = await ask({ "if-none-match": ifNoneMatch });
          expect([held.status, held.text]).toEqual([304, ""]);
          for (const name of ["etag", "cache-control", "vary"])
            expect([name, held.headers.get(name)]).toEqual([name, headers.get(name)]);
        }
        expect((await ask({ "if-none-match": '"other"' })).status).toBe(200);
      },
    );
  }

  const reading = listOperations(contract).find(
    ({ operation: other }) => methodOf(other) === "GET" && pathOf(other) === pathOf(operation),
  );
  if (/^(PUT|PATCH|DELETE) /.test(operation.route) && kinds.length > 0 && reading) {
    test("is accepted under the ETag of what it changes, and returns the one that a read has then", async () => {
      const { owner } = subject.stage;
      const about = await fresh(subject);
      const read = { ...subject, ...reading };
      const etagOf = async () => (await send(read, owner, request(read, about))).headers.get("etag") ?? "";
      const headers = { "if-match": await etagOf() };
      const changed = await send(subject, owner, request(subject, about), { headers });
      const etag = changed.json === undefined ? null : await etagOf();
      expect([changed.status < 300, changed.headers.get("etag")]).toEqual([true, etag]);
    });
  }

  test("can be called by pages of any origin, which can read the response", alike(subject, 1), async () => {
    const asked = await send(subject, null, await parts(), {
      method: "OPTIONS",
      body: undefined,
      headers: { origin: "https://app.example", "access-control-request-method": methodOf(operation) },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-methods")?.split(", ")).toContain(methodOf(operation));
    for (const answer of [asked, await send(subject, null, await parts())])
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  // The server itself checks, while these tests run, that every answer fits the schema of its status.
  test("succeeds for the owner, with every time in UTC and milliseconds, names a rate limit, and is audited if it should be", async () => {
    const { owner } = subject.stage;
    const headers = { "idempotency-key": id };
    const own = request(subject, await fresh(subject));
    const before = await auditedBy(subject, owner);
    const answer = await send(subject, owner, own, { headers });
    expect((await auditedBy(subject, owner)) - before).toBe(isAudited(subject, "owner") ? 1 : 0);
    expect(Object.keys(operation.results).map(Number)).toContain(answer.status);
    expectTimes(answer.json);
    const isKept = answer.headers.get("cache-control")?.startsWith("public") ?? false;
    expect(answer.headers.has("ratelimit")).toBe(!isKept);
    const isUpload = mediaList(operation.body).some(({ kind }) => kind === "multipart" || kind === "bytes");
    if (methodOf(operation) !== "POST" || isUpload) return;
    // What is shown once is not shown again.
    const again = await send(subject, owner, own, { headers });
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([answer.status, "true"]);
    expect(again.json).toEqual(answer.json && { ...answer.json, secret: undefined });
  });
}
