import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { startRegistry, token } from "./registry.ts";

const registry = await startRegistry();
afterAll(() => registry.close());
const main = join(import.meta.dirname, "../dist/main.js");

test("the bundle, which brings an HTTP of its own, speaks to a registry", async () => {
  registry.answer("GET /me", {
    json: { handle: "ada", token: { name: "ci", scopes: ["read"], expiresAt: null } },
  });
  const env = { ...process.env, PROMPTREG_URL: registry.url, PROMPTREG_TOKEN: token };
  const { stdout } = await promisify(execFile)(process.execPath, [main, "whoami", "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({ handle: "ada" });
});
