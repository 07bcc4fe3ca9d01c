import { expect, test } from "vitest";
import {
  chooseRequestId,
  matches,
  readIdempotencyKey,
  readPairs,
  readWait,
  satisfies,
  withoutCounters,
} from "./index.ts";

test.each([
  ["wait=10", 10],
  ["wait=30", 30],
  ["wait=31", 30],
  ["respond-async, WAIT = 5 ; foo", 5],
  ["wait=7, wait=9", 7],
  ["wait=10s", 0],
  ["no wait=10", 0],
  ["wait=1234567890", 0],
  [null, 0],
])("Prefer: %s waits for %d seconds", (prefer, seconds) => {
  expect(readWait(prefer)).toBe(seconds);
});

test.each([
  ['"k"', "k"],
  ['"k', '"k'],
  ['a"k"', 'a"k"'],
  ['"k"a', '"k"a'],
  ["~".repeat(255), "~".repeat(255)],
])("the Idempotency-Key %s is %s", (header, key) => {
  expect(readIdempotencyKey(header)).toBe(key);
});

test.each(["", "a".repeat(256), "a\n", "\na", "é"])("the Idempotency-Key %j is refused", (header) => {
  expect(() => readIdempotencyKey(header)).toThrow("1 to 255 printable characters");
});

test("a request keeps an id of 8 to 128 letters, digits, dots, underscores and hyphens", () => {
  for (const id of ["a".repeat(8), "A0._-".padEnd(128, "x")]) expect(chooseRequestId(id)).toBe(id);
  for (const id of [
    "a".repeat(7),
    "a".repeat(129),
    "abcdefgh\n",
    " abcdefgh",
    "abcd efgh",
    ["abcdefgh"],
    null,
  ])
    expect(chooseRequestId(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
});

test("an If-Match allows a change by the revision alone, of one of several ETags", () => {
  const allowed = ["*", '"3"', '"3.7"', 'W/"3"', '"1", W/"3.1"'];
  expect(allowed.map((ifMatch) => matches(ifMatch, "3"))).not.toContain(false);
  const refused = ["", "3", '"33"', '"1.3"', 'x"3"', '"*"', '"1","2"'];
  expect(refused.map((ifMatch) => matches(ifMatch, "3"))).not.toContain(true);
});

test("a repeated name of a query or a form gives a list, in its order", () => {
  expect({ ...readPairs("a=1&b=2&a=3&a=4&utm_x=5") }).toEqual({ a: ["1", "3", "4"], b: "2", utm_x: "5" });
});

test("counters are left out of a response wherever they stand, and what people wrote is kept", () => {
  const counted = '{"counts":{"stars":1},"slug":"a","downloads" : 12,"list":[ {"votes":{"up":1}}]}';
  expect(withoutCounters(counted)).toBe('{,"slug":"a",,"list":[ {}]}');
  const written = JSON.stringify({ text: '"downloads":12,"counts":{}' });
  expect(withoutCounters(written)).toBe(written);
  expect(withoutCounters('{"config": {"downloads": 12}}')).toBe('{"config": {"downloads": 12}}');
});

test("a token that may write may write evals, and none that may only read", () => {
  expect(satisfies(["write"], "evals:write")).toBe(true);
  expect(satisfies(["evals:write"], "evals:write")).toBe(true);
  expect(satisfies(["evals:write"], "write")).toBe(false);
  expect(satisfies(["read"], "evals:write")).toBe(false);
  expect(satisfies(["write"], "read")).toBe(false);
});
