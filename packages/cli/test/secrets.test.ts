import { generateKeyPairSync } from "node:crypto";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSecrets } from "../src/folders/local/secrets.ts";
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
  const sec1 = privateKey.export({ type: "sec1", format: "pem" }).toString();
  const ed25519 = generateKeyPairSync("ed25519")
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
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

  const hex = "9f8e7d6c5b4a39281706f5e4d3c2b1a0".repeat(2);
  const spread = (type: string) => `-----BEGIN ${type}-----\nVersion: 1\n\n${pem.split("\n")[1]}\n`;
  test.each([
    sec1,
    ed25519,
    pem.replace(/^/gm, "> "),
    pem.replace(/^/gm, "    - "),
    pem.split("\n").slice(0, 2).join("\n"),
    JSON.stringify({ key: ed25519 }),
    spread("PGP PRIVATE KEY BLOCK"),
    `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${pem.split("\n")[1]}`,
    `AGE-SECRET-KEY-1${letters.toUpperCase()}${letters.slice(0, 22).toUpperCase()}`,
    JSON.stringify(privateKey.export({ format: "jwk" })),
    `redis://:${letters}@cache.acme.io:6379`,
    `amqp://app:${letters}@mq.acme.io/vhost`,
    `mongodb+srv://app:${letters}@cluster.yourco.com/db`,
    `https://app:p@ss${letters}@git.example.com/x.git`,
    `pypi-AgEIcHlwaS5vcmc${letters}${letters}`,
    `dop_v1_${hex}`,
    `https://discord.com/api/webhooks/123498765432109876/${letters}${letters}`,
    `AccountKey=${letters}${letters}${letters.slice(0, 14)}==`,
    `xapp-1-A0B1C2D3E4F-9182736450918-${hex}`,
    `918273645:AA${letters.slice(0, 33)}`,
  ])("is known in each form, such as %#", async (secret) => {
    expect(await findSecrets([{ path: "a.md", text: `Key:\n${secret}\n` }])).toHaveLength(1);
  });

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
    "amqp://guest:guest@mq.acme.io",
    "https://USER:API_TOKEN@git.acme.io/x.git",
    "[here](http://acme.io:8080),ada@acme.io",
    "https://acme.io:8443?mail=ada@acme.io",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
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
