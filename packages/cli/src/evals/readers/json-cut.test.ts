import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cut, JsonCutter } from "./json-cut.ts";
import { codePoint } from "../../../../core/src/testing/code-point.ts";

/** Cuts a text that comes in pieces of `size` bytes. */
function cut(text: string, wanted: readonly string[], size: number): Cut[] {
  const cutter = new JsonCutter(wanted);
  const bytes = Buffer.from(text);
  const cuts: Cut[] = [];
  for (let at = 0; at < bytes.length; at += size) cuts.push(...cutter.read(bytes.subarray(at, at + size)));
  return [...cuts, ...cutter.end()];
}
const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false, stringUnit: codePoint });
const style = { indent: fc.constantFrom(undefined, 2, "\t"), size: fc.integer({ min: 1, max: 40 }) };
const key = fc.string({ minLength: 1 }).filter((name) => name !== "results" && name !== "__proto__");

test("whatever JSON it stands in, and however the bytes come, each item is what JSON.parse says", () => {
  const file = fc.record({ items: fc.array(json), before: fc.dictionary(key, json), after: json, ...style });
  fc.assert(
    fc.property(file, ({ items, before, after, indent, size }) => {
      const text = JSON.stringify({ ...before, results: items, "after it": after }, undefined, indent);
      expect(cut(text, ["$.results[]"], size).map(({ value }) => value)).toEqual(
        JSON.parse(JSON.stringify(items)),
      );
    }),
  );
});

test("each line of JSON Lines is a value, and knows its line", () => {
  fc.assert(
    fc.property(fc.array(json), style.size, (values, size) => {
      const text = values.map((value) => `${JSON.stringify(value)}\n`).join("\n");
      expect(cut(text, ["$"], size)).toEqual(
        values.map((value, index) => ({
          path: "$",
          value: JSON.parse(JSON.stringify(value)) as unknown,
          line: 1 + 2 * index,
        })),
      );
    }),
  );
});

test("half of a file is never taken for all of it", () => {
  fc.assert(
    fc.property(fc.array(json), fc.nat(), style.size, (items, end, size) => {
      const text = JSON.stringify({ results: items });
      const half = text.slice(0, 1 + (end % (text.length - 1)));
      expect(() => cut(half, ["$.results[]"], size)).toThrow("ends in the middle");
    }),
  );
});

test("only the wanted paths are cut, at any depth", () => {
  const text = '{"a": {"b": [{"c": 1, "d": [2]}, {"c": "x"}], "c": 3}, "c": 4, "a.b": [{"c": 5}]}';
  expect(cut(text, ["$.a.b[].c"], 7)).toEqual([
    { path: "$.a.b[].c", value: 1, line: 1 },
    { path: "$.a.b[].c", value: "x", line: 1 },
  ]);
});
