import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { startRegistry, token, versionWith } from "./registry.ts";

const registry = await startRegistry();
afterAll(() => registry.close());
const main = join(import.meta.dirname, "../dist/main.js");

test("the bundle, which brings an HTTP of its own, speaks to a registry", async () => {
  registry.answer("GET /me", {
    json: { handle: "ada", token: { name: "ci", scopes: ["read"], role: "user", expiresAt: null } },
  });
  const env = { ...process.env, PROMPTREG_URL: registry.url, PROMPTREG_TOKEN: token };
  const { stdout } = await promisify(execFile)(process.execPath, [main, "whoami", "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({ handle: "ada" });
});

test("the bundle hands out files whole and in order, though a pipe takes less at once", async () => {
  const text = Array.from({ length: 120_000 }, (_, line) => `${line}\n`).join("");
  registry.answer("GET /prompts/ada/reply?view=version", await versionWith(text));
  registry.answer("GET /prompts/ada/reply/download?format=zip", { text });
  const env = { ...process.env, PROMPTREG_URL: registry.url, PROMPTREG_TOKEN: token };
  for (const args of [
    ["cat", "ada/reply"],
    ["download", "ada/reply", "-o", "-"],
  ]) {
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { env });
    expect(stdout === text).toBe(true);
  }
});

test.each(["cli", "server"])(
  "the first file of the %s can be read by Node 12, which refuses it",
  async (name) => {
    const text = await readFile(join(import.meta.dirname, "../..", name, "dist/main.js"), "utf8");
    expect(text).toContain("Node 22.18 or newer is needed");
    expect(text.replace(/^\s*\/\/.*$/gm, "")).not.toMatch(/\bawait\b|\?\?|\?\.|^import\b|\|\|=/m);
  },
);

// What is not in Node 20, as far as it would be missed first.
const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } });
delete process.getBuiltinModule;
delete Map.groupBy;`;

test.each([
  ["cli", ["--version"]],
  ["cli", ["list"]],
  ["server", ["--version"]],
])("on an older Node the %s says which it needs: %j", async (name, args) => {
  const started = join(import.meta.dirname, "../..", name, "dist/main.js");
  const preload = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
  await expect(promisify(execFile)(process.execPath, [...preload, started, ...args])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^[a-z-]+: Node 22\.18 or newer is needed, and this is 20\.11\.0\.\n$/),
  });
});
