import { parsePlace } from "@promptreg/core/imports";
import { describe, expect, test } from "vitest";
import { hostileUrls } from "../../../kernel/reach/fixtures/urls.ts";
import { describePlace, placeOf } from "./place.ts";

const strict = { allowUnsafeWebhooks: false };
const ofRepository = (repository: string, options = {}) =>
  describePlace({ type: "repository", repository, ...options }, strict);
const ofUrl = (url: string) => describePlace({ type: "url", url }, strict);

describe("the source of an import", () => {
  test.each<[string, { ref?: string; path?: string }, object]>([
    ["ada/prompts", {}, { url: "https://github.com/ada/prompts" }],
    ["ada/prompts@feature/x", {}, { url: "https://github.com/ada/prompts", ref: "feature/x" }],
    ["ada/prompts", { ref: "v1", path: "docs" }, { ref: "v1", path: "docs" }],
    ["git@github.com:ada/prompts.git", {}, { url: "https://github.com/ada/prompts" }],
    [
      "github.com/ada/prompts/tree/feature/x/docs#readme",
      {},
      { url: "https://github.com/ada/prompts/tree/feature/x/docs" },
    ],
    ["https://github.com/ada/prompts/tree/feature/x/docs", { path: "more" }, { path: "more" }],
    ["https://github.com/ada/prompts/tree/main/docs", { ref: "main" }, { ref: "main" }],
    ["https://git.example.com/a/b/prompts/-/tree/v1?x=1", {}, { label: "git.example.com/a/b/prompts" }],
    [
      "https://gist.github.com/ada/0123456789abcdef0123",
      {},
      { label: "gist.github.com/0123456789abcdef0123" },
    ],
  ])("%s with %j says where it lies, and leads there again", (repository, options, shown) => {
    const source = ofRepository(repository, options);
    expect(source).toMatchObject({ type: "repository", ...shown });
    expect(placeOf(source)).toEqual(parsePlace(repository, options));
  });

  test("may be a file, whose address leads there again", () => {
    const url = "https://github.com/ada/p/blob/main/a%20b.md?plain=1#L2";
    expect(ofUrl(url)).toEqual({
      type: "url",
      label: "github.com/ada/p/raw/main/a b.md",
      url: "https://github.com/ada/p/blob/main/a%20b.md?plain=1",
    });
    expect(placeOf(ofUrl(url))).toEqual(parsePlace(url));
  });

  test("is a repository if its address is one, though it was sent as url", () => {
    expect(ofUrl("https://github.com/ada/prompts")).toMatchObject({ type: "repository" });
  });

  test("has a label that fits a line", () => {
    expect(ofUrl(`https://example.com/${"a".repeat(1500)}`).label).toHaveLength(200);
  });

  test.each([
    "http://example.com/a.md",
    "prompts",
    "ftp://example.com/a",
    "https://github.com/ada/p/issues/1",
  ])("%j is refused with its reason", (text) => {
    for (const [describing, path] of [
      [ofUrl, "/source/url"],
      [ofRepository, "/source/repository"],
    ] as const)
      expect(() => describing(text)).toThrow(
        expect.objectContaining({
          code: "url_refused",
          message: expect.stringMatching(/^\p{Lu}.*\.$|^github/u),
          details: [expect.objectContaining({ path })],
        }),
      );
  });

  test("that is the address of a file is no repository", () => {
    expect(() => ofRepository("https://example.com/a.zip")).toThrow(/Send it as url/);
  });

  // What parsing mends on the way (a fragment, a space around it) is harmless here: the address that is fetched is the parsed one.
  test.each(hostileUrls.map((text) => [text.slice(0, 60), text] as const))(
    "%j never leads to an address that is not public",
    (_, text) => {
      let source: ReturnType<typeof ofUrl>;
      try {
        source = ofUrl(text);
      } catch (error) {
        expect(error).toMatchObject({ code: "url_refused" });
        return;
      }
      const place = placeOf(source);
      const urls = place.type === "url" ? [place.url] : place.archives.map(({ url }) => url);
      for (const url of urls)
        expect(new URL(url).host).toMatch(
          /^(?:[\w-]+\.)*(?:example\.com|github\.com)(?::\d+)?$|^example\.com$/,
        );
    },
  );
});
