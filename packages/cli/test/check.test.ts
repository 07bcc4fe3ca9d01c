import { generateKeyPairSync } from "node:crypto";
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

interface Result {
  folder: string;
  problems: { path: string; message: string }[];
}
const problemsOf = (stdout: string) =>
  (JSON.parse(stdout) as { results: Result[] }).results.map(({ problems }) => problems);

describe("check", () => {
  test("says that all is well, without a request", async () => {
    const tree = home.place();
    await home.prompt(join(tree, "a"), "a");
    await home.prompt(join(tree, "b"), "ada/b", text, { license: "mit", tags: ["one"], rating: "mature" });
    expect(await check(tree)).toMatchObject({
      exitCode: 0,
      stdout: "2 prompts would be taken, as far as can be told from here\n",
      stderr: "",
    });
    expect(registry.seen).toEqual([]);
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
      `${at("a")}summary: must have at most 280 characters`,
      `${at("a")}tags.0: must be lower-case letters, digits and hyphens, at most 32`,
      `${at("a")}license: has "Apache", which is not on SPDX's list; did you mean Apache-2.0?`,
      `${at("a")}visibility: must be one of: public, unlisted, private`,
      `${at("a")}licence: means nothing here. Did you mean license?`,
      `${at("a")}The path "aux.md" has a segment that Windows keeps for a device, such as CON or NUL.`,
      `${at("b")}big.md: is over 1 MiB, the most for a text file.`,
      `${at("b")}PROMPT.md: config.temperature: must be 0 or more.`,
      `${at("b")}PROMPT.md: variables.0.name: must be a letter or _, then letters, digits or _: at most 64 characters.`,
      `${at("c")}A prompt of kind text needs a file PROMPT.md at its root. Rename prompt.md.`,
      `${at("d")}prompt: is that of ${join(tree, "b")} too`,
      expect.stringContaining("promptreg.json is not valid JSON"),
      `${at("f")}PROMPT.md: is over 1 MiB, the most for a text file.`,
      "",
    ]);
    expect(stderr).toBe("error: 6 of 6 prompts would be refused.\n");
    expect(exitCode).toBe(6);
  });

  test("finds files that fit each by itself, and are too many bytes together once they are sent", async () => {
    const quotes = '"'.repeat(1024 * 1024);
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}.md`, quotes]));
    const folder = await home.prompt(home.place(), "large", { ...text, ...files });
    expect((await check(folder)).stdout).toMatch(/come to \d+ bytes as they are sent; 16 MiB is the most\./);
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
    ]);
    expect(schema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      required: ["prompt", "kind", "title"],
      additionalProperties: false,
      properties: { title: { minLength: 1, maxLength: 120, description: "How people call it." } },
    });
  });
});

test("a dry run applies the same rules, and those of what is sent beside the files", async () => {
  registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
  const folder = await home.prompt(home.place(), "reply");
  const args = ["--dry-run", "--label", "Bad!", "--label", "latest", "--message", "x".repeat(501)];
  const { exitCode, stderr } = await registry.cli(["push", folder, ...args]);
  expect(stderr).toContain("message: must have at most 500 characters");
  expect(stderr).toContain("label Bad!: must begin with a lower-case letter");
  expect(stderr).toContain("The label latest is reserved. Choose another name.");
  expect(exitCode).toBe(6);
});

describe("a secret", () => {
  const pem = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
  // Put together here, so that nothing which looks like one stands in this file.
  const letters = "q7Rk2mXv9TzL4wBn8sHd3jYc6gPf1aUe5oKi";
  const secrets = {
    "private key": pem,
    "github token": `ghp_${letters}`,
    "anthropic api key": `sk-ant-api03-${letters}${letters}${letters.slice(0, 21)}AA`,
    "google api key": `AIza${letters.slice(1)}`,
    "promptreg token": `prt_${letters}q7Rk2m`,
    "postgre sql connection": `postgres://app:${letters.slice(0, 12)}@db.acme.io:5432/app`,
  };

  test.each(Object.entries(secrets))(
    "such as a %s stops a push, and is shown to nobody",
    async (kind, secret) => {
      registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
      const folder = await home.prompt(home.place(), "leaky", {
        ...text,
        "notes.md": `One\nkey: ${secret}\n`,
      });
      for (const command of [["push"], ["push", "--dry-run"], ["check", "--json"]]) {
        const { exitCode, stdout, stderr } = await registry.cli([...command, folder]);
        expect(stdout + stderr).toContain(`line 2 holds what looks like a secret (${kind})`);
        expect(stdout + stderr).toContain("notes.md");
        for (const part of secret.match(/.{12,}/g) ?? [])
          expect(stdout + stderr).not.toContain(part.slice(4));
        expect(exitCode).toBe(6);
      }
      expect(registry.seen.filter(({ method }) => method !== "GET")).toEqual([]);
      expect((await registry.cli(["push", folder, "--dry-run", "--allow-secrets"])).exitCode).toBe(0);
      expect((await check(folder, "--allow-secrets")).exitCode).toBe(0);
    },
  );

  test("is found whatever the text around it says to tools", async () => {
    const notes = `${secrets["github token"]} // secretlint-disable-line\n`;
    const folder = await home.prompt(home.place(), "silenced", { ...text, "notes.md": notes });
    expect(problemsOf((await check(folder, "--json")).stdout)[0]).toHaveLength(1);
  });

  test.each([
    "sk-...",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    `ghp_${"x".repeat(36)}`,
    `sk-ant-api03-${"x".repeat(93)}AA`,
    `sk_live_${"x".repeat(24)}`,
    "xoxb-your-token-here",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://user:pass@example.com/path",
    "postgres://user:password@db.acme.io:5432/app",
    "postgres://app:q7Rk2mXv9TzL@localhost:5432/app",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as shells write it
    "postgres://app:${DB_PASSWORD}@db.acme.io/app",
    "-----BEGIN PRIVATE KEY-----\nYOUR_KEY_HERE\n-----END PRIVATE KEY-----",
  ])("is not what documentation writes in its place: %s", async (placeholder) => {
    const folder = await home.prompt(home.place(), "documented", {
      ...text,
      "notes.md": `key: ${placeholder}\n`,
    });
    expect(problemsOf((await check(folder, "--json")).stdout)).toEqual([[]]);
  });
});
