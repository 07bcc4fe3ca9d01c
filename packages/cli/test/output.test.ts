import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { cli, startRegistry, versionWith } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

const me = { handle: "ada", token: { name: "ci", scopes: ["read", "write"], role: "user", expiresAt: null } };
const bold = "\u001b[1mada\u001b[22m";

describe("a command line that is wrong", () => {
  test.each([
    [["whoami", "--jsno"], "unknown option '--jsno' (Did you mean --json?)"],
    [["shwo", "a/b"], "Unknown command shwo. Did you mean show?"],
    [["show"], "missing required argument 'prompt'"],
    [["list", "--limit", "x"], "option '-n, --limit <count>' argument 'x' is invalid."],
    [["label"], "A command is missing. --help lists them."],
    [["push", "--force"], "Unknown option --force. `--onto latest` replaces the newest version"],
  ])("is told as any other error with --json: %j", async (args, message) => {
    const { stdout, stderr, exitCode } = await cli([...args, "--json"]);
    const { error } = JSON.parse(stderr);
    expect(error).toEqual({ code: "usage", message: expect.stringContaining(message), details: [] });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  });

  test("leaves help as it is", async () => {
    expect(await cli(["show", "--help", "--json"])).toEqual(await cli(["show", "--help"]));
  });
});

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
    ["not where FORCE_COLOR is 0", true, { FORCE_COLOR: "0" }, false],
    ["not where FORCE_COLOR is false", true, { FORCE_COLOR: "false" }, false],
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
    registry.answer("GET /prompts/ada/reply?label=production&view=version", await versionWith(dangerous));
    expect((await registry.cli(["cat", "ada/reply@production"])).stdout).toBe(dangerous);
  });

  test("is printed harmlessly on a terminal", async () => {
    registry.answer("GET /prompts/ada/reply?view=version", await versionWith(dangerous, "docs/a.md"));
    const { stdout } = await registry.cli(["cat", "ada/reply", "docs/a.md"], { isTTY: true });
    expect(stdout).toBe("Hello\\x1b]0;title\\x07 {{name}}");
  });

  test.each([[], ["--json"]])("is not shown if it does not match its digest %s", async (...options) => {
    const { json } = await versionWith("Hello");
    const damaged = JSON.parse(JSON.stringify(json).replace("Hello", "Hullo"));
    registry.answer("GET /prompts/ada/reply?view=version", { json: damaged });
    expect(await registry.cli(["cat", "ada/reply", ...options])).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("The files of ada/reply do not match their content hash."),
      exitCode: 9,
    });
  });

  test("comes as JSON with all its files", async () => {
    const version = await versionWith("Hello");
    registry.answer("GET /prompts/ada/reply?version=3&view=version", version);
    expect(JSON.parse((await registry.cli(["cat", "ada/reply@3", "--json"])).stdout)).toEqual(version.json);
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
    expect(await ended).toBe(3);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "unauthenticated", requestId: "req-12345678" },
    });
  });

  test("ends quietly when its reader has had enough", async () => {
    registry.answer("GET /prompts/ada/reply?view=version", await versionWith("x".repeat(900_000)));
    const child = start("cat", "ada/reply");
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await text(child.stderr)).toBe("");
    expect(await ended).toBe(0);
  });

  test("tells what nobody caught in a sentence, and ends with 1", async () => {
    const reject = "process.once('beforeExit', () => Promise.reject(new Error('odd')))";
    const args = [
      "--conditions=@promptreg/source",
      "--import",
      `data:text/javascript,${reject}`,
      main,
      "exit-codes",
    ];
    const child = spawn(process.execPath, args);
    const ended = new Promise((resolve) => child.on("close", resolve));
    expect(await text(child.stderr)).toMatch(/^error: Unexpected error: odd\. Run the command again .*\n$/);
    expect(await ended).toBe(1);
  });

  test("tells its version without anything else", async () => {
    const child = start("--version");
    expect(await text(child.stdout)).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
