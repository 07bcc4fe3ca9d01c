import { expect, test } from "vitest";
import { includesEtag, readEtags } from "./index.ts";

test("an If-None-Match matches an ETag whole, weak or strong", () => {
  const etags = readEtags('"a", W/"b","cW/d"');
  expect(["a", "W/a", "b", "W/b", "cW/d"].map((etag) => includesEtag(etags, etag))).not.toContain(false);
  expect(["cd", "d", "", "*"].map((etag) => includesEtag(etags, etag))).not.toContain(true);
  expect(includesEtag(readEtags("*"), "a")).toBe(false);
});
