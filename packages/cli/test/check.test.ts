import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await makeHome();
afterAll(registry.close);
afterEach(registry.reset);

const check = (...args: string[]) => registry.cli(["check", ...args]);
const text = { "PROMPT.md": "Hello {{name}}\n" };

describe("check", () => {
  test("says that all is well, without a request if there is no token", async () => {
    const tree = home.place();
    await home.prompt(join(tree, "a"), "a");
    await home.prompt(join(tree, "b"), "ada/b", text, { license: "mit", tags: ["one"], rating: "mature" });
    const passed = { exitCode: 0, stdout: "2 prompts passed all offline checks\n" };
    expect(await registry.cli(["check", tree], { env: { PROMPTREG_TOKEN: "" } })).toMatchObject(passed);
    expect(registry.seen).toEqual([]);
    // Nor does it fail if the registry cannot say anything.
    const { stderr, ...checked } = await check(tree);
    expect(checked).toMatchObject(passed);
    expect(stderr).toContain("The registry was not asked whether the names are free: ");
  });

  test("names all that is wrong with all prompts in one go, by folder and field", async () => {
    const tree = home.place();
    await home.prompt(
      join(tree, "a"),
      "ada/Reply",
      { ...text, "aux.md": "x" },
      {
        kind: "txt",
        title: "",
        summary: "x".repeat(281),
        tags: ["Mail", "b"],
        license: "Apache 2.0",
        visibility: "secret",
        licence: "MIT",
      },
    );
    const variables = "---\nvariables: [{name: 1x}]\nconfig: {temperature: -1}\n---\nHi\n";
    await home.prompt(join(tree, "b"), "b", {
      "PROMPT.md": variables,
      "big.md": "x".repeat(1024 * 1024 + 1),
    });
    await home.prompt(join(tree, "c"), "c", { "prompt.md": "Hi\n" });
    await home.prompt(join(tree, "d"), "b");
    await home.prompt(join(tree, "f"), "f", { "PROMPT.md": "x".repeat(1024 * 1024 + 1) });
    await mkdir(join(tree, "e"));
    await writeFile(join(tree, "e/promptreg.json"), "{");
    const { exitCode, stdout, stderr } = await check(tree);
    const at = (name: string) => `${join(tree, name)}: `;
    expect(stdout.split("\n")).toEqual([
      `${at("a")}prompt: must be its address, such as "support-reply" or "ada/support-reply"`,
      `${at("a")}kind: must be one of: text, chat, media, skill, agent, rule, command`,
      `${at("a")}title: must not be empty`,
      `${at("a")}summary: must have at most 280 characters, and has 281`,
      `${at("a")}tags: "Mail" must be lower-case letters, digits and hyphens, at most 32`,
      `${at("a")}license: has "Apache", which is not on SPDX's list; did you mean Apache-2.0?`,
      `${at("a")}visibility: must be one of: public, unlisted, private`,
      `${at("a")}licence: is unknown. Did you mean license?`,
      `${at("a")}The path "aux.md" has a segment that Windows keeps for a device, such as CON or NUL.`,
      `${at("b")}big.md: is over 1 MiB, the most for a text file.`,
      `${at("b")}PROMPT.md: config.temperature: must be 0 or more.`,
      `${at("b")}PROMPT.md: variables.0.name: must be a letter or _, then letters, digits or _: at most 64 characters.`,
      `${at("c")}A prompt of kind text needs a file PROMPT.md at its root. Rename prompt.md.`,
      `${at("d")}prompt: is also in ${join(tree, "b")}`,
      expect.stringContaining("promptreg.json is not valid JSON"),
      `${at("f")}PROMPT.md: is over 1 MiB, the most for a text file.`,
      "",
    ]);
    expect(stderr).toBe("error: 6 of 6 prompts would be refused.\n");
    expect(exitCode).toBe(6);
  });

  test("says of a folder without any file what a push says", async () => {
    registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
    const folder = await home.prompt(home.place(), "empty", {});
    const needs = "A prompt of kind text needs a file PROMPT.md at its root.";
    expect(await check(folder)).toMatchObject({ exitCode: 6, stdout: expect.stringContaining(needs) });
    expect((await registry.cli(["push", folder])).stderr).toContain(needs);
  });

  test("finds files that fit each by itself, and are too many bytes together once they are sent", {
    tags: "long",
  }, async () => {
    const quotes = '"'.repeat(1024 * 1024);
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}.md`, quotes]));
    const folder = await home.prompt(home.place(), "large", { ...text, ...files });
    expect((await check(folder)).stdout).toMatch(/are \d+ bytes as sent\. The limit is 16 MiB\./);
  });

  test("remarks what looks like a variable and is none", async () => {
    const written = "{{نام}} {{客户}} {{first-name}} \\{{not mine}} {{#if}} {{name}} {{ Ünicode }}\n";
    const folder = await home.prompt(home.place(), "names", { "PROMPT.md": written });
    const { exitCode, stderr } = await check(folder);
    const remarked = [...stderr.matchAll(/(\{\{.*?\}\}) stays as it is/g)].map(([, mark]) => mark);
    expect(remarked).toEqual(["{{نام}}", "{{客户}}", "{{first-name}}", "{{ Ünicode }}"]);
    expect(exitCode).toBe(0);
  });

  test("prints the schema of the manifest, with its documentation", async () => {
    const { stdout } = await check("--schema");
    const schema = JSON.parse(stdout);
    expect(Object.keys(schema.properties)).toEqual([
      "$schema",
      "prompt",
      "kind",
      "title",
      "summary",
      "tags",
      "license",
      "visibility",
      "rating",
      "source",
      "from",
      "fromHash",
    ]);
    expect(schema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      required: ["prompt", "kind", "title"],
      additionalProperties: false,
      properties: { title: { minLength: 1, maxLength: 120, description: "How people call it." } },
    });
  });
});

test("what a push says to all folders alike is judged once, before anything is read or asked", async () => {
  const tree = home.place();
  for (const slug of ["a", "b"]) await home.prompt(join(tree, slug), slug);
  const args = ["--label", "Bad!", "--label", "latest", "--message", "x".repeat(501)];
  expect(await registry.cli(["push", tree, ...args])).toMatchObject({
    exitCode: 6,
    stderr:
      "error: Nothing was pushed. --message must have at most 500 characters, and has 501; --label Bad! must begin with a lower-case letter, then hold such letters, digits, hyphens and single . or _; The label latest is reserved. Choose another name.\n",
  });
  expect(registry.seen).toEqual([]);
});
