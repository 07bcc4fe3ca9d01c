import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RealRegistry, startReal } from "./real.ts";

let registry: RealRegistry;
let folder: string;
beforeAll(async () => {
  registry = await startReal();
  folder = await mkdtemp(join(tmpdir(), "promptreg-pages-"));
});
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

/** The commands in the code of a page of the server. */
async function commandsOf(path: string): Promise<string[][]> {
  const headers = { accept: "text/html" };
  const page = await (await registry.fetch(new URL(path, registry.baseUrl), { headers })).text();
  return [...page.matchAll(/^(?:<pre[^>]*><code>)?promptreg (.*?)(?:<\/code><\/pre>)?$/gm)].map(
    ([, words = ""]) => words.split(" "),
  );
}

test("the commands on the first page of a server work as they are printed", async () => {
  const commands = await commandsOf("/");
  expect(commands.map(([verb]) => verb)).toEqual(["login", "init", "push"]);
  const env = { PROMPTREG_TOKEN: "", PROMPTREG_URL: "", XDG_CONFIG_HOME: folder };
  for (const words of commands) {
    const args = words.map((word) => (word === "my-prompt" ? join(folder, word) : word));
    expect(await registry.cli(args, { env, stdin: registry.token })).toMatchObject({ exitCode: 0 });
  }
  const { stdout } = await registry.cli(["resolve", "ada/my-prompt@production"]);
  expect(stdout).toContain("1");
});

test("the guide for receivers of webhooks names commands and options that exist", async () => {
  const commands = await commandsOf("/docs/webhooks");
  expect(commands.length).toBeGreaterThan(4);
  for (const [noun = "", verb = "", ...words] of commands) {
    const { exitCode, stdout } = await registry.cli([noun, verb, "--help"]);
    expect([noun, exitCode]).toEqual(["webhook", 0]);
    for (const option of words.filter((word) => word.startsWith("--"))) expect(stdout).toContain(option);
  }
});
