import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { gathering, nearby, site, useSites } from "./fixtures/site.ts";
import { placeOf } from "./place.ts";
import { fetchRepository } from "./repository.ts";
import { fetchUrl } from "./url.ts";

useSites();

/** The beginning of one is enough: it is opened elsewhere. */
const zip = Buffer.from("PK\x03\x04", "latin1");

/** A site that has these files, by path. */
const having = (files: Record<string, string | Buffer>) =>
  site(({ url = "" }, response) => {
    const found = files[url];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
const file = (url: string) => {
  const place = placeOf({ type: "url", label: "", url });
  return place.type === "url" ? fetchUrl(place, gathering(), nearby) : undefined;
};
const repository = (url: string, options = {}) => {
  const place = placeOf({ type: "repository", label: "", url, ...options });
  return place.type === "repository" ? fetchRepository(place, gathering(), nearby) : undefined;
};

describe("a file on the web", () => {
  test("has the path that it has at its server, since tools know files by their folders", async () => {
    const { port } = await having({ "/ada/.claude/commands/a%20b.md?x=1": "Hello." });
    const gathered = await file(`https://receiver.example:${port}/ada/.claude/commands/a%20b.md?x=1`);
    expect(gathered?.material).toMatchObject({ type: "file", path: "ada/.claude/commands/a b.md" });
    expect(await readFile(gathered?.material.file ?? "", "utf8")).toBe("Hello.");
  });

  test.each([
    ["/..%2f..%2fetc/a.md", "etc/a.md"],
    ["/", "file"],
  ])("at %j has a path that leads nowhere else", async (at, path) => {
    const { port } = await having({ [at]: "Hello." });
    expect((await file(`https://receiver.example:${port}${at}`))?.material).toMatchObject({ path });
  });

  test("may be an archive, whatever it is called, with all its folders", async () => {
    const { port } = await having({ "/a.md": zip });
    const gathered = await file(`https://receiver.example:${port}/a.md`);
    expect(gathered?.material).toEqual({ type: "archive", file: expect.any(String) });
  });

  test("of more than 5 MiB is not fetched", async () => {
    const { port } = await having({ "/a.csv": Buffer.alloc(5 * 1024 * 1024 + 1) });
    await expect(file(`https://receiver.example:${port}/a.csv`)).rejects.toThrow(/larger than 5 MiB/);
  });

  test("that is not there is named in a sentence", async () => {
    const { port } = await having({});
    await expect(file(`https://receiver.example:${port}/a.md`)).rejects.toThrow(
      "receiver.example/a.md is not there.",
    );
  });
});

describe("a repository", () => {
  const archive = (ref: string) => `/ada/prompts/-/archive/${ref}/prompts-${ref.replaceAll("/", "-")}.zip`;
  const tree = (port: number, rest: string) => `https://receiver.example:${port}/ada/prompts/-/tree/${rest}`;

  test("comes as an archive, whose paths begin in the repository", async () => {
    const { port } = await having({ [archive("main")]: zip });
    const gathered = await repository(tree(port, "main"), { path: "docs" });
    expect(gathered).toEqual({
      material: { type: "archive", file: expect.any(String), path: "docs", stripRoot: true },
      found: { ref: "main", path: "docs" },
    });
  });

  test("with slashes in its branch is found by trying, and says then what is a branch and what a folder", async () => {
    const { port, asked } = await having({ [archive("feature/x")]: zip });
    const gathered = await repository(tree(port, "feature/x/docs"));
    expect(gathered?.found).toEqual({ ref: "feature/x", path: "docs" });
    expect(asked.map(({ path }) => path)).toEqual([archive("feature"), archive("feature/x")]);
  });

  test("that is nowhere is named in a sentence", async () => {
    const { port } = await having({});
    await expect(repository(tree(port, "a/b/c"))).rejects.toThrow(
      "receiver.example/ada/prompts is not there, has no such branch, or is not public.",
    );
  });

  test("that does not come as an archive is refused", async () => {
    const { port } = await having({ [archive("main")]: "Sign in, please." });
    await expect(repository(tree(port, "main"))).rejects.toThrow(/did not come as an archive/);
  });
});
