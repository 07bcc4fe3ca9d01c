import { generateKeyPairSync } from "node:crypto";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { promptOf, versionOf } from "./prompts.ts";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await makeHome();
afterAll(registry.close);
afterEach(registry.reset);
beforeEach(() =>
  registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } }),
);

const check = (...args: string[]) => registry.cli(["check", ...args]);
const text = { "PROMPT.md": "Hello {{name}}\n" };
interface Result {
  problems: { path: string; message: string }[];
}
const problemsOf = (stdout: string) =>
  (JSON.parse(stdout) as { results: Result[] }).results.map(({ problems }) => problems);

describe("a secret", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  // Put together here, so that nothing which looks like one stands in this file.
  const letters = "q7Rk2mXv9TzL4wBn8sHd3jYc6gPf1aUe5oKi";
  const secrets = {
    "private key": pem,
    "github token": `ghp_${letters}`,
    "anthropic api key": `sk-ant-api03-${letters}${letters}${letters.slice(0, 21)}AA`,
    "google api key": `AIza${letters.slice(1)}`,
    "promptreg token": `prt_${letters}q7Rk2m`,
    "password in an address": `postgres://app:${letters.slice(0, 12)}@db.acme.io:5432/app`,
  };

  test.each(Object.entries(secrets))(
    "such as a %s stops a push, and is shown to nobody",
    async (kind, secret) => {
      const folder = await home.prompt(home.place(), "leaky", {
        ...text,
        "notes.md": `One\nkey: ${secret}\n`,
      });
      for (const command of [["push"], ["push", "--dry-run"], ["check", "--json"]]) {
        const { exitCode, stdout, stderr } = await registry.cli([...command, folder]);
        expect(stdout + stderr).toContain(`line 2 looks like a secret (${kind})`);
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

  test.each(["latin1", "utf16le"] as const)("is found in a file of %s", async (encoding) => {
    const bytes = Buffer.from(`\ufeffÄ\nkey: ghp_${letters}\n`, encoding);
    const folder = await home.prompt(home.place(), "encoded", { ...text, "notes.txt": bytes });
    expect(problemsOf((await check(folder, "--json")).stdout)[0]).toMatchObject([
      { path: "notes.txt", message: expect.stringContaining("line 2 looks like") },
    ]);
  });

  test("is found in what is said beside the files, also where these are the registry's", async () => {
    const secret = `ghp_${letters}`;
    registry.answer("GET /prompts/ada/reply", { json: promptOf(await versionOf(1, text)) });
    const folder = await home.prompt(home.place(), "ada/reply", text, { summary: `With ${secret}` });
    const { exitCode, stdout, stderr } = await registry.cli(["push", folder]);
    expect(stderr).toContain("summary: line 1 looks like a secret (github token)");
    const message = await registry.cli(["push", folder, "--message", `Use ${secret}`]);
    expect(message.stderr).toContain("--message: line 1 looks like a secret (github token)");
    for (const one of [stdout, stderr, message.stderr]) expect(one).not.toContain(letters);
    expect([exitCode, message.exitCode]).toEqual([6, 6]);
  });

  test("that the registry has already stops a dry run, and no push, since that sends nothing", async () => {
    const files = { "PROMPT.md": `Use ghp_${letters}\n` };
    registry.answer("GET /prompts/ada/reply", { json: promptOf(await versionOf(1, files)) });
    const folder = await home.prompt(home.place(), "ada/reply", files, { title: "Reply" });
    expect((await registry.cli(["push", folder])).exitCode).toBe(0);
    expect((await registry.cli(["push", folder, "--dry-run"])).exitCode).toBe(6);
  });

  test("is found whatever the text around it says to tools", async () => {
    const notes = `${secrets["github token"]} // secretlint-disable-line\n`;
    const folder = await home.prompt(home.place(), "silenced", { ...text, "notes.md": notes });
    expect(problemsOf((await check(folder, "--json")).stdout)[0]).toHaveLength(1);
  });
});
