import { expect, test } from "vitest";
import { MakeManifest } from "./manifest.ts";

const takes = (manifest: object) => MakeManifest.safeParse({ slug: "a", title: "A", ...manifest }).success;

test("a path in a manifest leads below its folder", () => {
  for (const body of ["README.md", "docs/a b.md", "..a", "a..b/.c", "a".repeat(500)])
    expect([body, takes({ body })]).toEqual([body, true]);
  for (const body of ["", "/a", ".", "..", "./a", "a/..", "a/../b", "a\\b", "a\n", "\na", "a".repeat(501)])
    expect([body, takes({ body })]).toEqual([body, false]);
});

test("an item of a gallery is a file or an address, and one of them at most is the cover", () => {
  const [path, embedUrl] = ["a.png", "https://www.youtube.com/watch?v=abcdefghijk"];
  const gallery = (...items: object[]) => takes({ gallery: items });
  expect([gallery({ path }), gallery({ embedUrl }), gallery({ path }, { embedUrl })]).not.toContain(false);
  expect([gallery({}), gallery({ path, embedUrl })]).not.toContain(true);
  const cover = { path, cover: true };
  expect(gallery(cover, { path, cover: false })).toBe(true);
  expect(gallery(cover, cover)).toBe(false);
});
