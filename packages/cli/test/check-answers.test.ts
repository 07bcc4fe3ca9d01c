import { afterAll, afterEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await makeHome();
afterAll(registry.close);
afterEach(registry.reset);

describe("an answer of success that is not the registry's", () => {
  test.each([
    ["GET /me", ["whoami"]],
    ["GET /prompts/ada/reply", ["show", "ada/reply"]],
    ["GET /prompts/ada/reply", ["status"]],
    ["GET /prompts?owner=me&sort=updated&limit=100", ["list"]],
    ["GET /prompts/ada/reply/versions?limit=20", ["log", "ada/reply"]],
  ])("is told as such: %s for %j", async (route, args) => {
    const folder = await home.prompt(home.place(), "ada/reply");
    for (const json of [[], { ok: true }]) {
      registry.answer(route, { json });
      const { exitCode, stderr } = await registry.cli(args[0] === "status" ? ["status", folder] : args);
      expect(stderr).toContain("is not from Promptreg. Check the address");
      expect(exitCode).toBe(7);
    }
  });

  test("ends a list of nothing but empty pages", async () => {
    let pages = 0;
    const fetch = async () =>
      Response.json({ items: [], nextCursor: `c${(pages += 1)}` }, { headers: { "x-request-id": "req-1" } });
    const { exitCode, stderr } = await registry.cli(["list"], { fetch });
    expect(stderr).toContain("The answer of prompts.list never ends.");
    expect(exitCode).toBe(7);
    expect(pages).toBe(101);
  });
});
