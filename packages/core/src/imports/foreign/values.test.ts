import { expect, test } from "vitest";
import { firstWords } from "./values.ts";

test("the name of a text has 60 characters, or as many whole words as fit", () => {
  const words = `${"a".repeat(55)} bcde`;
  expect(firstWords(`\n ${words}\n`)).toBe(words);
  expect(firstWords(`${words}f`)).toBe("a".repeat(55));
});
