import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { isThorough } from "../../../core/src/testing/growth.ts";
import { type Parts, requestsOf } from "../requests.ts";
import { expectEnvelope, expectTimes } from "./expect.ts";
import { fresh, request, send, type Subject } from "./requests.ts";

const runsOfEach = isThorough ? 1_000 : 3;

/** Sends random requests to every operation of a group. */
export function testGenerated(group: string, subjects: readonly Subject[]): void {
  let sent = 0;

  describe("whatever is sent,", () => {
    afterAll(() => {
      process.stdout.write(`contract: ${sent} generated requests to ${subjects.length} of ${group}\n`);
    });

    test.each(subjects)("$id answers as it declares, and never with a fault of ours", async (subject) => {
      const { operation, stage } = subject;
      const things = await fresh(subject);
      const params = Object.assign({}, ...things.map(({ thing }) => thing.params)) as object;
      const about = request(subject, things);
      const any = requestsOf(operation, "any");
      const whole = any.map((parts): Parts => {
        const body = parts.body && { ...(about.body as object), ...parts.body };
        return {
          params: { ...parts.params, ...params },
          query: { ...parts.query, ...about.query },
          body,
        };
      });
      const requests = fc.oneof(any, whole, whole.chain(withOneChange));
      const callers = fc.constantFrom(stage.owner, stage.viewer, null);
      await fc.assert(
        fc.asyncProperty(requests, callers, async (parts, who) => {
          sent += 1;
          const answer = await send(subject, who, parts);
          expect(answer.status).toBeLessThan(500);
          const isError = answer.status >= 400 && operation.results[answer.status] === undefined;
          if (isError) expectEnvelope(answer);
          else if (answer.json !== undefined) expectTimes(answer.json);
        }),
        { numRuns: runsOfEach },
      );
    });
  });
}

const oddValues = fc.oneof(
  fc.constantFrom(
    null,
    "",
    -1,
    0,
    1.5,
    2 ** 31,
    1e308,
    -0,
    true,
    [],
    {},
    "\0",
    "\ud800",
    "x".repeat(70_000),
    "__proto__",
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 20, max: 200 }).map((depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth))),
);

/** Replaces one part of a request with an odd value, or removes it. */
function withOneChange(parts: Parts): fc.Arbitrary<Parts> {
  const places = placesOf(parts.body, ["body"]).concat(
    ...(["params", "query"] as const).map((part) => Object.keys(parts[part]).map((name) => [part, name])),
  );
  if (places.length === 0) return fc.constant(parts);
  return fc
    .tuple(fc.constantFrom(...places), fc.option(oddValues, { nil: undefined }))
    .map(([place, odd]) => {
      const [part] = place;
      // Only JSON knows more than text, and a path has no place that could be left out.
      const value =
        part === "body" ? odd : typeof odd === "string" && odd.isWellFormed() ? odd.slice(0, 2000) : "odd";
      return put(parts, place, value) as Parts;
    });
}

const placesOf = (value: unknown, at: string[]): string[][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [[...at, key], ...placesOf(item, [...at, key])])
    : [];

function put(value: unknown, [first, ...rest]: string[], odd: unknown): unknown {
  if (first === undefined) return odd;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  (copy as Record<string, unknown>)[first] = put((value as Record<string, unknown>)[first], rest, odd);
  return copy;
}
