import { describe, expect, test } from "vitest";
import { asApiError, unreachable } from "./errors.ts";

const reasonOf = (cause: unknown) => unreachable("https://registry.test/api/v1/me", cause);

describe("a connection that failed", () => {
  test.each([
    ["ECONNRESET", true],
    ["EPIPE", true],
    ["UND_ERR_SOCKET", true],
    ["ECONNREFUSED", false],
    ["XEPIPE", false],
    ["EPIPES", false],
  ])("with %s may have carried the request: %s", (code, isSent) => {
    expect(reasonOf({ cause: { code } })).toMatchObject({ isSent, message: expect.stringContaining(code) });
  });

  test("has its code up to five errors deep", () => {
    const nested = (depth: number): object =>
      depth === 0 ? { code: "EPIPE" } : { cause: nested(depth - 1) };
    expect([4, 5].map((depth) => reasonOf(nested(depth)).isSent)).toEqual([true, false]);
  });
});

test.each([
  ["0", 0],
  ["12", 12_000],
  ["Wed, 21 Oct 2015 07:28:00 +0000", 0],
  ["2015-10-21", 0],
  ["soon", undefined],
])("the time in Retry-After is seconds or a date: %s", (after, ms) => {
  const error = { code: "rate_limited", message: "No.", requestId: "req-1" };
  const headers = { "x-request-id": "req-1", "retry-after": after };
  expect(asApiError(new Response(null, { status: 429, headers }), { error }).retryAfterMs).toBe(ms);
});
