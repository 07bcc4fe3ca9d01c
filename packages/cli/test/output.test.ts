import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { cli, startRegistry } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

const me = { handle: "ada", token: { name: "ci", scopes: ["read", "write"], expiresAt: null } };
const bold = "\u001b[1mada\u001b[22m";

describe("results", () => {
  test("are for people unless JSON is asked for, wherever --json stands", async () => {
    registry.answer("GET /me", { json: me });
    expect((await registry.cli(["whoami"])).stdout).toBe(
      `ada at ${registry.url}\ntoken "ci" of PROMPTREG_TOKEN: read, write\n`,
    );
    for (const args of [
      ["whoami", "--json"],
      ["--json", "whoami"],
    ]) {
      expect(JSON.parse((await registry.cli(args)).stdout)).toMatchObject(me);
    }
  });

  test.each([
    ["on a terminal", true, {}, true],
    ["not in a pipe", false, {}, false],
    ["not with NO_COLOR", true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
    ["in a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
    ["not on a terminal that can do nothing", true, { TERM: "dumb" }, false],
    ["not because it is CI", false, { CI: "true" }, false],
  ])("are coloured %s", async (_, isTTY, env, isColored) => {
    registry.answer("GET /me", { json: me });
    const { stdout } = await registry.cli(["whoami"], { isTTY, env });
    expect(stdout.includes(bold)).toBe(isColored);
    expect(stdout.includes("\u001b")).toBe(isColored);
  });

  test("in JSON carry no control character raw", async () => {
    registry.answer("GET /me", { json: { ...me, handle: "\u001b\u009b" } });
    const { stdout } = await registry.cli(["whoami", "--json"]);
    expect(stdout).toContain('"handle": "\\u001b\\u009b"');
  });
});

describe("a prompt", () => {
  const dangerous = "Hello\u001b]0;title\u0007 {{name}}";

  test("is printed byte for byte into a pipe", async () => {
    registry.answer("GET /prompts/ada/reply/raw?label=production", { text: dangerous });
    expect((await registry.cli(["cat", "ada/reply@production"])).stdout).toBe(dangerous);
  });

  test("is printed harmlessly on a terminal", async () => {
    registry.answer("GET /prompts/ada/reply/raw?path=docs%2Fa.md", { text: dangerous });
    const { stdout } = await registry.cli(["cat", "ada/reply", "docs/a.md"], { isTTY: true });
    expect(stdout).toBe("Hello\\x1b]0;title\\x07 {{name}}");
  });

  test("comes as JSON with all its files", async () => {
    const version = { ref: "ada/reply", version: { n: 3 } };
    registry.answer("GET /prompts/ada/reply?version=3&view=version", { json: version });
    expect(JSON.parse((await registry.cli(["cat", "ada/reply@3", "--json"])).stdout)).toEqual(version);
  });
});

describe("any operation", () => {
  test("is called by its id, with path, query and body", async () => {
    registry.answer("PUT /prompts/ada/reply/labels/beta", ({ body }) => ({ json: { got: body } }));
    const args = ["api", "prompts.labels.put", "owner=ada", "slug=reply", "name=beta", "--body", "-"];
    const { exitCode, stdout } = await registry.cli(args, { stdin: '{"versionNumber": 2}' });
    expect(JSON.parse(stdout)).toEqual({ got: { versionNumber: 2 } });
    expect(exitCode).toBe(0);
  });

  test("repeats a name of the query that is given twice", async () => {
    registry.answer("GET /webhooks/events?a=1&a=2&__proto__=3", { json: { items: [] } });
    const { exitCode } = await registry.cli(["api", "webhooks.events", "a=1", "a=2", "__proto__=3"]);
    expect(exitCode).toBe(0);
  });

  test("refuses a path that would lead to another one", async () => {
    const { exitCode, stderr } = await registry.cli(["api", "prompts.get", "owner=..", "slug=me"]);
    expect(stderr).toContain('"owner" cannot be "..": it is a part of a path.');
    expect(exitCode).toBe(2);
    expect(registry.seen).toEqual([]);
  });

  test("refuses a body that is no JSON before anything is sent", async () => {
    const { exitCode, stderr } = await registry.cli(["api", "webhooks.create", "--body", "{url: 1}"]);
    expect(exitCode).toBe(6);
    expect(stderr).toContain("The body is not valid JSON");
    expect(registry.seen).toEqual([]);
  });

  test("is in the list", async () => {
    const { stdout } = await cli(["api"]);
    expect(stdout).toMatch(/^users\.me\.get +GET \/me$/m);
  });
});

describe("the process", () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const start = (...args: string[]) => {
    const env = { ...process.env, PROMPTREG_URL: registry.url };
    return spawn(process.execPath, ["--conditions=@promptreg/source", main, ...args], { env });
  };

  test("ends with the exit code and keeps errors off standard output", async () => {
    const child = start("whoami", "--json");
    const ended = new Promise((resolve) => child.on("close", resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(await ended).toBe(4);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "not_found", requestId: "req-12345678" } });
  });

  test("ends quietly when its reader has had enough", async () => {
    registry.answer("GET /prompts/ada/reply/raw", { text: "x".repeat(4_000_000) });
    const child = start("cat", "ada/reply");
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await text(child.stderr)).toBe("");
    expect(await ended).toBe(0);
  });
});
