import { expect, test } from "vitest";
import { declaresNoVariables } from "./frontmatter.ts";

test.each([
  ["variables: false", true],
  ["a: b\nvariables: \tfalse  # none\r\nc: d", true],
  ["variables:false", false],
  [" variables: false", false],
  ["variables: falsey", false],
  ["variables: false#", false],
  [null, false],
])("%j says in a line of its own that a text has no variables: %s", (yaml, isSaid) => {
  expect(declaresNoVariables(yaml)).toBe(isSaid);
});
