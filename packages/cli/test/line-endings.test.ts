import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { git, makeHome, writeAll } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const lf = "Dear {{name}},\n\nthank you.\n";
const crlf = lf.replaceAll("\n", "\r\n");
const cat = async (ref: string, file?: string) =>
  (await registry.cli(["cat", ref, ...(file === undefined ? [] : [file])])).stdout;
const statusOf = async (folder: string) =>
  JSON.parse((await registry.cli(["status", folder, "--json"])).stdout).results[0].status;

/** A prompt in a git repository that was pushed with LF. */
async function committed(slug: string, settings: { attributes?: string; autocrlf?: string }) {
  const tree = home.place();
  await home.prompt(join(tree, slug), slug, { "PROMPT.md": lf, "notes/a.txt": lf });
  if (settings.attributes !== undefined) await writeAll(tree, { ".gitattributes": settings.attributes });
  git(tree, "init", "-q");
  if (settings.autocrlf !== undefined) git(tree, "config", "core.autocrlf", settings.autocrlf);
  git(tree, "add", ".");
  git(tree, "commit", "-qm", "All");
  await registry.cli(["push", tree, "-y"]);
  return join(tree, slug);
}

describe("a checkout with CRLF of files that git keeps with LF", () => {
  test.each([
    ["attributes", { attributes: "* text=auto\n" }],
    ["settings", { autocrlf: "true" }],
    ["input-settings", { autocrlf: "input" }],
    ["text-attribute", { attributes: "*.md text\n*.txt text\n" }],
  ])("by its %s is no change, and a pull updates it", { tags: "long" }, async (name, settings) => {
    const folder = await committed(`windows-${name}`, settings);
    for (const file of ["PROMPT.md", "notes/a.txt"]) await writeFile(join(folder, file), crlf);
    expect(await statusOf(folder)).toBe("unchanged");
    await writeFile(join(folder, "PROMPT.md"), crlf.replace("Dear", "Hello"));
    await registry.cli(["push", folder, "-y"]);
    expect(await cat(`ada/windows-${name}`)).toBe(lf.replace("Dear", "Hello"));
    const { exitCode } = await registry.cli(["pull", `ada/windows-${name}@1`, "--into", folder]);
    expect(exitCode).toBe(0);
    expect(await readFile(join(folder, "PROMPT.md"), "utf8")).toBe(lf);
  });
});

test("line endings that git does not touch are sent as they are, and a diff says that they alone changed", {
  tags: "long",
}, async () => {
  const folder = await committed("as-it-is", { attributes: "*.txt -text\n" });
  await writeFile(join(folder, "notes/a.txt"), crlf);
  expect((await registry.cli(["diff", folder])).stdout).toBe(
    "--- a/notes/a.txt\n+++ b/notes/a.txt\nIts line endings alone changed (CRLF, LF).\n",
  );
  await registry.cli(["push", folder, "-y"]);
  expect(await cat("ada/as-it-is", "notes/a.txt")).toBe(crlf);
  await writeFile(join(folder, "notes/a.txt"), `${crlf}one\rline\n`);
  await registry.cli(["push", folder, "-y"]);
  await writeFile(join(folder, "notes/a.txt"), `${crlf}oneline\n`);
  expect((await registry.cli(["diff", folder])).stdout).toContain("+oneline\n");
});

test("a file that was committed with CRLF stays so, and one line alone is no change where git keeps LF", async () => {
  const folder = await committed("mixed", { attributes: "PROMPT.md text=auto\nnotes/a.txt -text\n" });
  await writeFile(join(folder, "PROMPT.md"), lf.replace("\n", "\r\n"));
  expect(await statusOf(folder)).toBe("unchanged");
  await writeFile(join(folder, "notes/a.txt"), crlf);
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "CRLF");
  git(folder, "config", "core.autocrlf", "true");
  await writeAll(folder, { "../.gitattributes": "" });
  await registry.cli(["push", folder, "-y"]);
  expect(await cat("ada/mixed", "notes/a.txt")).toBe(crlf);
});
