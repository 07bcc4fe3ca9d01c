import { expect, test } from "vitest";
import { fileNameIn } from "./file-name.ts";

test.each([
  ["attachment; filename*=UTF-8''reply-v1.zip", "reply-v1.zip"],
  ["attachment; filename*=UTF-8''a%20b.zip", "a b.zip"],
  [null, "mine.zip"],
  ["attachment", "mine.zip"],
  ["attachment; filename*=UTF-8''..%2F..%2Fevil.zip", "mine.zip"],
  ["attachment; filename*=UTF-8''%2Fetc%2Fx", "mine.zip"],
  ["attachment; filename*=UTF-8''..", "mine.zip"],
  ["attachment; filename*=UTF-8''.bashrc", "mine.zip"],
  ["attachment; filename*=UTF-8''a%5Cb", "mine.zip"],
  ["attachment; filename*=UTF-8''%1B%5B2J", "mine.zip"],
  ["attachment; filename*=UTF-8''%", "mine.zip"],
  ["attachment; filename*=UTF-8''%FF", "mine.zip"],
])("a download called %j is saved as %j", (disposition, name) => {
  expect(fileNameIn(disposition, "mine.zip")).toBe(name);
});
