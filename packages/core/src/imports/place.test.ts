import { describe, expect, test } from "vitest";
import { parsePlace } from "./place.ts";

const head = "https://codeload.github.com/ada/prompts/zip/HEAD";
const archives = (text: string, options = {}) => {
  const place = parsePlace(text, options);
  return place?.type === "repository"
    ? place.archives.map(({ url, ref, path }) => [url.replace(/^.*\/zip\//, ""), ref, path])
    : place;
};

describe("a place on the web", () => {
  test.each([
    "ada/prompts",
    "ada/prompts.git",
    "github.com/ada/prompts",
    "https://github.com/ada/prompts",
    "https://www.github.com/ada/prompts/?tab=readme-ov-file#start",
    "https://github.com/ada/prompts.git",
    "git@github.com:ada/prompts.git",
    "ssh://git@github.com/ada/prompts.git",
    " https://github.com/ada/prompts/ ",
  ])("%s is a repository at its default branch", (text) => {
    expect(parsePlace(text)).toEqual({
      type: "repository",
      name: "github.com/ada/prompts",
      archives: [{ url: head, ref: null, path: "" }],
    });
  });

  test("may have a revision, and a folder", () => {
    expect(archives("ada/prompts@v1.2")).toEqual([["v1.2", "v1.2", ""]]);
    expect(archives("ada/prompts@feature/x", { path: "docs" })).toEqual([["feature/x", "feature/x", "docs"]]);
    expect(archives("https://github.com/ada/prompts", { ref: "v1", path: "a/b" })).toEqual([
      ["v1", "v1", "a/b"],
    ]);
    expect(archives("https://github.com/ada/prompts/tree/main")).toEqual([["main", "main", ""]]);
  });

  test.each([
    ["ada/.github", "github.com/ada/.github"],
    ["https://github.com/ada/ada.github.io", "github.com/ada/ada.github.io"],
    ["https://gitlab.com/ada/ada.gitlab.io", "gitlab.com/ada/ada.gitlab.io"],
  ])("%s is called like a file, and a repository", (text, name) => {
    expect(parsePlace(text)).toMatchObject({ type: "repository", name });
  });

  test("with a folder is tried with each revision that it may have", () => {
    expect(archives("https://github.com/ada/prompts/tree/feature/x/my%20docs")).toEqual([
      ["feature", "feature", "x/my docs"],
      ["feature/x", "feature/x", "my docs"],
      ["feature/x/my%20docs", "feature/x/my docs", ""],
    ]);
    expect(archives(`https://github.com/ada/prompts/tree/${"a/".repeat(50)}`)).toHaveLength(4);
  });

  test("may be on any GitLab, in groups of groups", () => {
    expect(parsePlace("https://gitlab.com/a/b/prompts")).toEqual({
      type: "repository",
      name: "gitlab.com/a/b/prompts",
      archives: [
        {
          url: "https://gitlab.com/a/b/prompts/-/archive/HEAD/prompts-HEAD.zip",
          ref: null,
          path: "",
        },
      ],
    });
    expect(parsePlace("https://git.example.com/a/prompts/-/tree/v1/docs")).toMatchObject({
      name: "git.example.com/a/prompts",
      archives: [
        { url: "https://git.example.com/a/prompts/-/archive/v1/prompts-v1.zip", path: "docs" },
        { url: "https://git.example.com/a/prompts/-/archive/v1/docs/prompts-v1-docs.zip", path: "" },
      ],
    });
  });

  test.each([
    ["https://github.com/ada/p/blob/main/a/b.md", "https://github.com/ada/p/raw/main/a/b.md"],
    ["https://githwww.ub.com/ada/p", "https://githwww.ub.com/ada/p"],
    ["https://gitlab.com/a/p/-/blob/main/b.md", "https://gitlab.com/a/p/-/raw/main/b.md"],
    ["https://example.com/prompts.csv?x=1#y", "https://example.com/prompts.csv?x=1"],
    [
      "https://github.com/ada/p/archive/refs/heads/main.zip",
      "https://github.com/ada/p/archive/refs/heads/main.zip",
    ],
    [
      "https://github.com/ada/p/releases/download/v1/p.zip",
      "https://github.com/ada/p/releases/download/v1/p.zip",
    ],
    [
      "https://gitlab.com/a/p/-/archive/v1/p-v1.tar.gz?path=docs",
      "https://gitlab.com/a/p/-/archive/v1/p-v1.tar.gz?path=docs",
    ],
    [
      "https://gitlab.com/a/p/-/releases/v1/downloads/p.zip",
      "https://gitlab.com/a/p/-/releases/v1/downloads/p.zip",
    ],
    [
      "https://raw.githubusercontent.com/ada/p/main/b.md",
      "https://raw.githubusercontent.com/ada/p/main/b.md",
    ],
  ])("%s is a file, which is read from where it lies raw", (text, url) => {
    expect(parsePlace(text)).toMatchObject({ type: "url", url });
  });

  test("is a gist by its id, with or without its owner", () => {
    const id = "0123456789abcdef0123456789abcdef";
    for (const path of [`ada/${id}`, id, `ada/${id}/raw/x.md`])
      expect(parsePlace(`https://gist.github.com/${path}`)).toMatchObject({
        name: `gist.github.com/${id}`,
        archives: [{ url: `https://codeload.github.com/gist/${id}/zip/HEAD` }],
      });
  });

  test("has a name without its revision, so that another import finds what it brought", () => {
    for (const text of ["ada/p@v1", "https://github.com/ada/p/tree/v2/docs"])
      expect(parsePlace(text)?.name).toBe("github.com/ada/p");
    expect(parsePlace("https://example.com/a%20b.csv?token=1")?.name).toBe("example.com/a b.csv");
  });

  test("has a name that can be shown: what would break a line or turn it round stays encoded", () => {
    const named = parsePlace("https://example.com/a%0Ab%E2%80%AEc%00/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB.md");
    expect(named?.name).toBe("example.com/a%0Ab%E2%80%AEc%00/\u{1f469}\u200d\u{1f4bb}.md");
  });

  test.each([
    "prompts",
    "./a/b",
    "../a",
    "a/b/c",
    "C:\\a",
    "/etc/passwd",
    "ftp://a/b",
    "javascript:1",
    "",
    "a b/c",
    "ada/..",
    "ada/.",
    "see git@github.com:ada/p",
    "git@:ada/p",
    "git@github.com:ada/p\nq",
  ])("%j is none", (text) => {
    expect(parsePlace(text)).toBeNull();
  });

  test.each([
    ["https://github.com/ada/p/issues/1", "is a page about a repository"],
    ["https://gitlab.com/ada", "is a page about a project"],
    ["https://gitlab.com/-/tree/main", "is a page about a project"],
    ["https://gist.github.com/ada", "ends with its id"],
    ["https://gist.github.com/ada/0123456789abcdef0123x", "ends with its id"],
    ["https://gist.github.com/ada/x0123456789abcdef0123", "ends with its id"],
    ["https://github.com/ada/p/blob/main", "ends with its path"],
    ["http://example.com/a.md", "must begin with https://"],
    ["https://me:secret@github.com/ada/p", "with a name or a password"],
    ["https://", "is no address"],
  ])("%s is refused with a sentence", (text, sentence) => {
    expect(() => parsePlace(text)).toThrow(sentence);
  });

  test("cannot lead elsewhere by what stands in it", () => {
    for (const text of [
      "ada/p@../../x",
      "ada/p@a//b",
      "https://github.com/ada/p/blob/main/..%2f../x",
      "https://gitlab.com/-/blob/main/b.md",
    ])
      expect(() => parsePlace(text)).toThrow("leads elsewhere");
    for (const text of ["ada/p@a?b#c", "https://github.com/ada/p/tree/a%2fb"]) {
      const place = parsePlace(text);
      if (place?.type !== "repository") throw new Error(`${text} is no repository`);
      for (const { url } of place.archives)
        expect(new URL(url).href).toMatch(/^https:\/\/codeload\.github\.com\/ada\/[^/]+\/zip\/[^?#]+$/);
    }
  });
});
