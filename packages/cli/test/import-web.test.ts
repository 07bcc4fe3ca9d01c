import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makeHome } from "./folders.ts";
import type { Around } from "./registry.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
/** Others make folders of this kind at the same time. */
const ownTemporary = await mkdtemp(join(tmpdir(), "promptreg-cli-web-"));
vi.stubEnv("TMPDIR", ownTemporary);
afterAll(async () => {
  vi.unstubAllEnvs();
  await registry.close();
  await rm(ownTemporary, { recursive: true });
});

/** What the web has, by address. */
const web = new Map<string, () => Response | Promise<Response>>();
let asked: string[] = [];
beforeEach(() => {
  web.clear();
  asked = [];
});
const fetch = async (input: RequestInfo | URL, options?: RequestInit): Promise<Response> => {
  const url = input instanceof Request ? input.url : String(input);
  if (url.startsWith(registry.baseUrl)) return registry.fetch(input, options);
  asked.push(url);
  expect(JSON.stringify(options?.headers)).not.toContain(registry.token);
  return (await web.get(url)?.()) ?? new Response("Not found", { status: 404 });
};
const archiveOf = async (files: Record<string, string>) =>
  gzipSync(
    await packTar(
      Object.entries(files).map(([name, body]) => ({
        header: { name, size: Buffer.byteLength(body) },
        body,
      })),
    ),
  );
const repository = {
  "prompts-main/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead.",
  "prompts-main/skills/pdf/scripts/run.sh": "#!/bin/sh\necho",
  "prompts-main/.claude/commands/commit.md": "Commit $ARGUMENTS.",
};
const github = (ref: string) => `https://codeload.github.com/ada/prompts/zip/${ref}`;
const bring = (
  place: string,
  into: string,
  { options = [], ...around }: Around & { options?: string[] } = {},
) => registry.cli(["import", place, "--into", into, ...options], { fetch, ...around });
const left = () => readdir(ownTemporary);

describe("an import of a repository", () => {
  test("brings its prompts by its archive, says where they are from, and a second one changes nothing", async () => {
    const archive = await archiveOf(repository);
    web.set(github("HEAD"), () => new Response(archive));
    const into = home.place();
    const { exitCode, stderr } = await bring("ada/prompts", into, { options: ["-y"] });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("2 imported.\n");
    expect(await readFile(join(into, "pdf/scripts/run.sh"), "utf8")).toBe("#!/bin/sh\necho");
    const { from } = JSON.parse(await readFile(join(into, "pdf/promptreg.json"), "utf8"));
    expect(from).toBe("github.com/ada/prompts/skills/pdf/SKILL.md");
    const again = await bring("https://github.com/ada/prompts", into, { options: ["-y"] });
    expect(again.stderr).toContain("2 unchanged.\n");
    expect(await left()).toEqual([]);
  });

  test("may mean a folder in it, at a branch with slashes", async () => {
    const archive = await archiveOf(repository);
    web.set(github("feature/x"), () => new Response(archive));
    const { stdout } = await bring("https://github.com/ada/prompts/tree/feature/x/skills", home.place(), {
      options: ["--dry-run", "--json"],
    });
    expect(asked).toEqual([github("feature"), github("feature/x")]);
    expect(JSON.parse(stdout).prompts).toMatchObject([{ slug: "pdf" }]);
    const none = await bring("https://github.com/ada/prompts/tree/feature/x/nothing", home.place());
    expect(none).toMatchObject({ exitCode: 6, stderr: "error: github.com/ada/prompts has no nothing.\n" });
  });

  test("takes what is chosen from a list, and what is named by --only", async () => {
    const archive = await archiveOf(repository);
    web.set(github("HEAD"), () => new Response(archive));
    const into = home.place();
    const chosen = await bring("ada/prompts", into, { choice: [1] });
    expect(chosen.asked).toEqual([`Write 2 prompts into ${into}?`]);
    expect(chosen.stderr).toContain("1 imported.\n");
    expect(await readdir(into)).toHaveLength(1);
    const none = await bring("ada/prompts", home.place(), { choice: [] });
    expect(none).toMatchObject({ exitCode: 130, stderr: expect.stringContaining("Nothing was changed.") });
    const only = await bring("ada/prompts", home.place(), { options: ["-y", "--only", "PDF"] });
    expect(only.stderr).toContain("1 imported.\n");
    const other = await bring("ada/prompts", home.place(), { options: ["-y", "--only", "docx"] });
    expect(other).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("None of the 2 prompts in ada/prompts is named so: docx."),
    });
  });

  test("that is not there, or no archive, says so and leaves nothing", async () => {
    expect(await bring("ada/nothing", home.place())).toMatchObject({
      exitCode: 6,
      stderr:
        "error: github.com/ada/nothing is not there, has no such branch, or is not public. Clone a private repository, and import its folder.\n",
    });
    web.set(github("HEAD"), () => new Response("<html>", { status: 200 }));
    expect((await bring("ada/prompts", home.place())).stderr).toBe(
      "error: github.com/ada/prompts: It is no zip and no tar.gz.\n",
    );
    web.set(github("HEAD"), () => new Response("", { status: 503 }));
    expect((await bring("ada/prompts", home.place())).stderr).toBe(
      "error: codeload.github.com answered with 503. Nothing was written.\n",
    );
    web.set(github("HEAD"), () =>
      Promise.reject(new TypeError("fetch failed", { cause: new Error("ENOTFOUND") })),
    );
    expect((await bring("ada/prompts", home.place())).stderr).toBe(
      "error: codeload.github.com cannot be reached: ENOTFOUND.\n",
    );
    expect(await left()).toEqual([]);
  });

  test("that breaks off, or that somebody stops, leaves nothing", async () => {
    const body = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1000)),
        pull: () => Promise.reject(new Error("terminated")),
      });
    web.set(github("HEAD"), () => new Response(body()));
    expect((await bring("ada/prompts", home.place())).stderr).toBe(
      "error: github.com/ada/prompts broke off after 1000 bytes: terminated.\n",
    );
    const interrupt = new AbortController();
    const endless = new ReadableStream({
      start: (controller) =>
        interrupt.signal.addEventListener("abort", () => controller.error(new Error("aborted"))),
      pull: () => interrupt.abort(),
    });
    web.set(github("HEAD"), () => new Response(endless));
    const stopped = await bring("ada/prompts", home.place(), { interrupt: interrupt.signal });
    expect(stopped).toMatchObject({ exitCode: 130, stderr: "error: Nothing was written.\n" });
    expect(await left()).toEqual([]);
  });
});

describe("an import of an address", () => {
  test("brings a file, by where it lies at its server", async () => {
    const url = "https://github.com/ada/prompts/raw/main/.claude/commands/git/commit.md";
    web.set(url, () => new Response("Commit $ARGUMENTS."));
    const into = home.place();
    const { stderr } = await bring(url.replace("/raw/", "/blob/"), into, { options: ["-y"] });
    expect(stderr).toContain("1 imported.\n");
    const [name = ""] = await readdir(into);
    expect(await readFile(join(into, name, "COMMAND.md"), "utf8")).toContain("Commit {{args}}.");
  });

  test("brings an archive, or any text that is named itself", async () => {
    const archive = await archiveOf({ "prompts.csv": "act,prompt\nPoet,Write.\nCook,Cook.\n" });
    web.set("https://example.com/x?y", () => new Response(archive));
    expect((await bring("https://example.com/x?y", home.place(), { options: ["-y"] })).stderr).toContain(
      "2 imported.",
    );
    web.set("https://example.com/notes.md", () => new Response("# Poet\n\nWrite a poem.\n"));
    const { stdout } = await bring("https://example.com/notes.md", home.place(), {
      options: ["--dry-run", "--json"],
    });
    expect(JSON.parse(stdout).prompts).toMatchObject([{ kind: "text", from: "example.com/notes.md" }]);
  });

  test("is refused for a page, for what is not there, and for what is no address", async () => {
    const headers = { "content-type": "text/html; charset=utf-8" };
    web.set("https://example.com/page", () => new Response("<html>", { headers }));
    expect((await bring("https://example.com/page", home.place())).stderr).toBe(
      "error: example.com/page is a web page. Name the file itself, such as its raw address.\n",
    );
    expect((await bring("https://example.com/none.md", home.place())).stderr).toBe(
      "error: example.com/none.md is not there (404).\n",
    );
    expect(await bring("http://example.com/a.md", home.place())).toMatchObject({
      exitCode: 2,
      stderr: "error: The address must begin with https://.\n",
    });
    expect((await bring("nothing-here", home.place())).stderr).toContain("nothing-here does not exist.");
  });
});

test("an archive on disk is read, and what of it is not taken is named", async () => {
  const file = join(home.place(), "..", "archive.tgz");
  await writeFile(file, await archiveOf({ ...repository, "../evil.md": "x" }));
  const into = home.place();
  const { stderr } = await bring(file, into, { options: ["-y"] });
  expect(stderr).toContain("../evil.md was left out: Its path has a . or .. segment");
  expect(stderr).toContain("2 imported.\n");
  const again = await bring(file, into, { options: ["-y"] });
  expect(again.stderr).toContain("2 unchanged.\n");
  await writeFile(file, (await archiveOf(repository)).subarray(0, 200));
  expect(await bring(file, home.place())).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining("tar.gz"),
  });
});
