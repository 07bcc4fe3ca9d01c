import { describe, expect, test } from "vitest";
import { fillPath, printQuery } from "./address.ts";

describe("a path", () => {
  test("takes strings and numbers, encoded", () => {
    const path = fillPath("/prompts/{owner}/{slug}/versions/{n}", { owner: "ada", slug: "a b/c?", n: 3 });
    expect(path).toBe("/prompts/ada/a%20b%2Fc%3F/versions/3");
  });

  test("keeps the slashes of a parameter that takes the rest of the path", () => {
    expect(fillPath("/files/{path*}", { path: "docs/a b.md" })).toBe("/files/docs/a%20b.md");
  });

  test.each(["", ".", ".."])("refuses the segment %j, which would call another operation", (slug) => {
    expect(() => fillPath("/prompts/{slug}", { slug })).toThrow(TypeError);
    expect(() => fillPath("/files/{slug*}", { slug: `a/${slug}/b` })).toThrow(TypeError);
  });

  test("refuses half a surrogate pair", () => {
    expect(() => fillPath("/prompts/{slug}", { slug: "\ud800" })).toThrow('"slug" cannot be "\\ud800"');
  });

  test.each([{}, { slug: undefined }, { slug: null }, { slug: {} }])(
    "names a missing parameter: %j",
    (params) => {
      expect(() => fillPath("/prompts/{slug}", params)).toThrow('/prompts/{slug} needs "slug"');
    },
  );

  test("ignores what every object inherits", () => {
    expect(() => fillPath("/{constructor}", {})).toThrow('needs "constructor"');
  });

  test("names an unknown parameter", () => {
    const params = { slug: "a", version: 3 };
    expect(() => fillPath("/prompts/{slug}", params)).toThrow('has no "version". Put it into query or body.');
  });
});

describe("a query", () => {
  test("repeats the name of a list and leaves undefined out", () => {
    expect(printQuery({ tag: ["a&b", "c"], limit: 5, mine: true, cursor: undefined })).toBe(
      "?tag=a%26b&tag=c&limit=5&mine=true",
    );
  });

  test("is absent when it is empty", () => {
    expect(printQuery({})).toBe("");
  });
});
