import fc from "fast-check";
import { expect, test } from "vitest";
import { compareTexts } from "./order.ts";

test("texts come in the order of their bytes in UTF-8, as the database sorts them", { tags: "long" }, () => {
  const edges = ["", "a", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...edges), fc.string({ unit: "binary" })))
    .map((all) => all.join(""));
  expect(edges.toReversed().sort(compareTexts)).toEqual(edges);
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(compareTexts(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(compareTexts(a, a)).toBe(0);
    }),
  );
});
