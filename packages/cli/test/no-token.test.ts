import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { cli } from "./registry.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const project = home.place();
const file = join(project, "promptreg.lock");
const installs = ["--project", project];

beforeAll(async () => {
  await mkdir(project);
  const folder = await home.prompt(home.place(), "ada/hidden");
  for (const args of [
    ["push", folder],
    ["lock", "ada/hidden", "--file", file],
    ["install", "ada/hidden", "--for", "claude", ...installs],
  ])
    await registry.cli(args);
});

describe("without a token, a prompt that is not found may be private: exit code 3, and what to do", () => {
  test.each([
    ["ci", ["ci", "--frozen", "--file", file]],
    ["outdated", ["outdated", "--file", file]],
    ["lock", ["lock", "--file", file]],
    ["update", ["update", ...installs]],
    ["pull", ["pull", "ada/hidden", "--into", project]],
    ["show", ["show", "ada/hidden"]],
  ])("%s", async (_, args) => {
    const { stderr, exitCode } = await registry.cli(args, { env: { PROMPTREG_TOKEN: "" } });
    expect(stderr).toMatch(
      /^error: ada\/hidden(@latest)?: Not found\. .* PROMPTREG_TOKEN is empty\. Run `promptreg login`, or set PROMPTREG_TOKEN\. \(request .*\)\n$/,
    );
    expect(exitCode).toBe(3);
  });

  test("but with a token it is missing, and the check of the lockfile failed", async () => {
    const { token } = await registry.createAccount("eve");
    const { exitCode } = await registry.cli(["ci", "--file", file], { env: { PROMPTREG_TOKEN: token } });
    expect(exitCode).toBe(9);
  });
});

test("a command that needs a token says in plain words that there is none", async () => {
  const { baseUrl, fetch } = registry;
  const { stderr, exitCode } = await cli(["whoami", "--url", baseUrl], { fetch });
  expect(stderr).toContain(
    `error: No token is set for ${baseUrl}. Run \`promptreg login\`, or set PROMPTREG_TOKEN. (request `,
  );
  expect(exitCode).toBe(3);
});

test("a token with a space is called what it is, and where it comes from", async () => {
  expect(await registry.cli(["whoami"], { env: { PROMPTREG_TOKEN: "prt_x y" } })).toMatchObject({
    stderr: "error: The token contains invalid characters. Copy it again. It comes from PROMPTREG_TOKEN.\n",
    exitCode: 2,
  });
});
