import { expect, test } from "vitest";
import { yamlFile } from "./yaml.ts";

test("a value of up to 256 KiB is printed as YAML, and a larger one as JSON", { tags: "long" }, () => {
  // Its quotes count.
  const written = (length: number) => yamlFile("a.yaml", "x".repeat(length)).content;
  expect(written(256 * 1024 - 2).slice(0, 2)).toBe("xx");
  expect(written(256 * 1024 - 1).slice(0, 2)).toBe('"x');
});
