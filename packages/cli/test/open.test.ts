import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";
import { startRegistry } from "./registry.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const hostile = await startRegistry();
const folder = await mkdtemp(join(tmpdir(), "promptreg-open-"));
const log = join(folder, "opened");
const opener = process.platform === "darwin" ? "open" : "xdg-open";
const path = [folder, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);

/** The system's opener, which notes what it is given. */
const writeOpener = async (end: string) => {
  await writeFile(join(folder, opener), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${log}'\n${end}\n`);
  await chmod(join(folder, opener), 0o755);
};
const opened = async () => (await readFile(log, "utf8").catch(() => "")).split("\n").slice(0, -1);
const open = (...args: string[]) => registry.cli(["open", ...args], { env: { PATH: path } });

beforeAll(async () => {
  const client = createClient({ baseUrl, token, fetch });
  const make = (slug: string, content: string) =>
    client.prompts.create({
      body: {
        kind: "text",
        visibility: "public",
        slug,
        title: slug,
        files: [{ path: "PROMPT.md", content }],
      },
    });
  await make("reply", "Answer {{name}} $(id) & `id`; 100%");
  await make("long", `${"x".repeat(9000)}\u001b[31m`);
});
beforeEach(async () => {
  await rm(log, { force: true });
  await writeOpener("exit 0");
});
afterAll(async () => {
  await Promise.all([registry.close(), hostile.close(), rm(folder, { recursive: true })]);
});

const url = "https://claude.ai/new?q=Answer%20Ada%20%24(id)%20%26%20%60id%60%3B%20100%25";

describe.skipIf(process.platform === "win32")("open", () => {
  test("hands the link to the system, which gets it as one argument", async () => {
    const { exitCode, stdout, stderr } = await open("ada/reply", "--in", "claude", "--var", "name=Ada");
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "", stderr: "Opened in claude.\n" });
    expect(await opened()).toEqual(["1", url]);
  });

  test("says which variables have no value", async () => {
    const { stderr } = await open("ada/reply@1", "--in", "zed");
    expect(stderr).toBe("Opened in zed.\nWithout a value: name. Use --var name=value.\n");
    expect((await opened())[1]).toMatch(/^zed:\/\/agent\?prompt=Answer%20%7B%7Bname%7D%7D/);
  });

  test("prints the link with --print, and opens nothing", async () => {
    const args = ["ada/reply", "--in", "claude", "--var", "name=Ada", "--print"];
    expect((await open(...args)).stdout).toBe(`${url}\n`);
    expect(JSON.parse((await open(...args, "--json")).stdout)).toMatchObject({ target: "claude", url });
    expect(await opened()).toEqual([]);
  });

  test("prints the text where no link can carry it, and says where to paste it", async () => {
    const { stdout, stderr } = await open("ada/long", "--in", "chatgpt");
    expect(stdout).toBe(`${"x".repeat(9000)}\u001b[31m\n`);
    const shown = await registry.cli(["open", "ada/long", "--in", "chatgpt"], { isTTY: true });
    expect(shown.stdout).toContain("x".repeat(9000));
    expect(shown.stdout).not.toContain("\u001b");
    expect(stderr).toBe("No link can carry this text. Paste the text into https://chatgpt.com/\n");
    expect(await opened()).toEqual([]);
  });

  test("lists the tools for the kind of the prompt if none is named", async () => {
    const { stdout, stderr } = await open("ada/reply");
    expect(stdout).toMatch(/^chatgpt\tChatGPT\tprefill\tweb$/m);
    expect(stdout).toMatch(/^vscode\t/m);
    expect(stderr).toBe("Choose one with --in.\n");
    expect(JSON.parse((await open("ada/reply", "--json")).stdout).items[0].id).toBe("chatgpt");
  });

  test("says if the system cannot open it", async () => {
    await writeOpener("exit 3");
    const failed = await open("ada/reply", "--in", "claude");
    expect(failed.stderr).toContain(
      `The link could not be opened (${opener} ended with 3). Print it with --print`,
    );
    const missing = await registry.cli(["open", "ada/reply", "--in", "claude"], {
      env: { PATH: "/nowhere" },
    });
    expect(missing.stderr).toMatch(/could not be opened \(spawn .*ENOENT\)/);
    expect([failed.exitCode, missing.exitCode]).not.toContain(0);
  });

  test.each([
    [["--in", "cluade"], "Unknown tool cluade. Known: chatgpt, claude,"],
    [["--in", "cluade"], "Did you mean claude?"],
    [["--in", "constructor"], "Unknown tool constructor."],
    [["--in", "claude", "--var", "name"], "Write --var name=value, not name."],
    [["--print"], "Name a tool with --in"],
    [["--var", "name=Ada"], "Name a tool with --in"],
  ])("refuses %j: %s", async (args, said) => {
    const { exitCode, stderr } = await open("ada/reply", ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });

  test.each([
    ["claude", "javascript:alert(1)"],
    ["claude", "https://evil.example/"],
    ["claude", "https://claude.ai/new?q=a&b=c"],
    ["claude", "--help"],
    ["cursor", "cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=b"],
    ["vscode", "vscode:extension/evil.evil"],
  ])("opens nothing in %s that a hostile registry makes up: %s", async (target, made) => {
    const link = { target, mode: "prefill", url: made, text: "Hi", truncated: false, missing: [] };
    hostile.answer(`GET /prompts/ada/reply/open-in/${target}`, { json: link });
    const { exitCode, stderr } = await hostile.cli(["open", "ada/reply", "--in", target], {
      env: { PATH: path },
    });
    expect(stderr).toContain(`a link that does not belong to ${target}. Nothing was opened.`);
    expect(exitCode).not.toBe(0);
    expect(await opened()).toEqual([]);
  });
});
