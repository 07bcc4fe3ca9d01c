import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { InputError } from "../errors.ts";
import { readPage, readPost, setFields } from "./file.ts";

const folder = await mkdtemp(join(tmpdir(), "promptreg-post-"));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, "post.md");
const media = `med_${"0".repeat(26)}`;
const id = `pst_${"0".repeat(26)}`;

/** What is wrong with a file that begins so; nothing where it can be used. */
async function problemsOf(frontmatter: string, body = "Text\n"): Promise<string[]> {
  await writeFile(file, `---\n${frontmatter}\n---\n${body}`);
  try {
    readPost(file);
    return [];
  } catch (error) {
    const { message, details } = error as InputError;
    return details.length > 0 ? details.map(({ path, message }) => `${path}: ${message}`) : [message];
  }
}

describe("the frontmatter of a post", () => {
  test.each([
    "title: X",
    `title: X\nid: ${id}`,
    `title: X\ncover: ${media}`,
    "title: X\ncover: pictures/a.png",
    "title: X\ncover: null",
    `title: X\nimages:\n  a.png: ${media}`,
    "title: X\nimages: {}",
    "title: X\nbase: sha256:00",
  ])("can be %j", async (frontmatter) => {
    expect(await problemsOf(frontmatter)).toEqual([]);
  });

  const cover = "cover: must be the path of a picture, or the id of media";
  const images = "images: must be paths with the ids of media, as a push writes them";
  const wrongId = "id: must be the id of a post, as the first push writes it";
  test.each([
    [`title: X\nid: ${id}0`, wrongId],
    [`title: X\nid: x${id}`, wrongId],
    ["title: X\ncover: 5", cover],
    ['title: X\ncover: ""', cover],
    ["title: X\ncover: [a.png]", cover],
    ["title: X\nimages: a.png", images],
    ["title: X\nimages: null", images],
    [`title: X\nimages:\n  a.png: ${media}\n  b.png: b`, images],
    ["title: X\nbase: 5", "base: must be a text, as a push writes it"],
  ])("cannot be %j", async (frontmatter, problem) => {
    expect(await problemsOf(frontmatter)).toEqual([problem]);
  });

  test("names every field that no post has, and all that is wrong", async () => {
    const problems = await problemsOf("title: X\nauthor: me\nbase: 5");
    expect(problems.map((one) => one.split(":")[0])).toEqual(["author", "base"]);
    expect(problems[0]).toMatch(/^author: is no field of a post\. Fields: .*title, .*\.$/);
  });

  test("has no cover on the web, and no picture that is elsewhere", async () => {
    expect(await problemsOf("title: X\ncover: https://x.test/a.png")).toEqual([
      `${file}: the cover must be the path of a picture, or the id of media.`,
    ]);
    for (const path of ["../a.png", "a/../b.png", "a//b.png"])
      expect((await problemsOf(`title: X\ncover: ${path}`))[0]).toContain(
        `the picture ${path} must be a path below`,
      );
  });

  test("is no longer than 16 KiB, and has an end", async () => {
    const long = (length: number) => `title: X\n#${"x".repeat(length - "title: X\n#".length)}`;
    expect(await problemsOf(long(16 * 1024))).toEqual([]);
    expect(await problemsOf(long(16 * 1024 + 1))).toEqual([
      `The frontmatter of ${file} is longer than 16 KiB.`,
    ]);
    for (const text of ["---\ntitle: X\n", "---", "title: X\n---\nText", "\n---\ntitle: X\n---\n"]) {
      await writeFile(file, text);
      expect(() => readPost(file)).toThrow(`${file} has no frontmatter.`);
    }
    expect(await problemsOf("- X")).toEqual([
      `The frontmatter of ${file} has no fields. Write at least \`title: …\`.`,
    ]);
    expect(await problemsOf("title: &a X\nsummary: *a")).toEqual([
      `The frontmatter of ${file} has an alias. Write out what it stands for.`,
    ]);
  });

  test("keeps what is written, loses what is undefined, and begins with a new id", async () => {
    await writeFile(file, "---\n# Mine\ntitle: 'X'\nbase: b\ntags: [a]\n---\nText\n");
    const page = readPage(file);
    setFields(page, { title: "X", base: undefined, tags: ["a", "b"], id });
    expect(page.document.toString().trim()).toBe(`id: ${id}\n# Mine\ntitle: 'X'\ntags:\n  - a\n  - b`);
  });
});
