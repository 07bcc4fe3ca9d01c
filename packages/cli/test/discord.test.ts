import { afterAll, expect, test } from "vitest";
import { startReal } from "./real.ts";
import { startRegistry } from "./registry.ts";

// Discord alone can sign the command that shows a code.
const registry = await startRegistry();
const real = await startReal();
afterAll(async () => {
  await registry.close();
  await real.close();
});

const discord = { userId: "80351110224678912", username: "ada.l", linkedAt: "2030-01-01T00:00:00.000Z" };

test("discord link sends the code, and shows the account at Discord", async () => {
  let sent: unknown;
  registry.answer("PUT /me/discord", ({ body }) => {
    sent = body;
    return { json: { discord } };
  });
  const { exitCode, stdout } = await registry.cli(["discord", "link", "7KQ2MXRA"]);
  expect([exitCode, sent]).toEqual([0, { code: "7KQ2MXRA" }]);
  expect(stdout).toContain("ada.l");
  expect(JSON.parse((await registry.cli(["discord", "link", "7KQ2MXRA", "--json"])).stdout)).toEqual({
    discord,
  });
  expect((await registry.cli(["discord", "link"])).exitCode).toBe(2);
});

test("a server that is not set up for Discord says so, and still removes a link", async () => {
  const refused = await real.cli(["discord", "link", "7KQ2MXRA"]);
  expect([refused.exitCode, refused.stderr]).toEqual([7, expect.stringContaining("not set up for Discord")]);
  const { exitCode, stdout } = await real.cli(["discord", "unlink"]);
  expect([exitCode, stdout]).toEqual([0, "Your account is not linked with Discord.\n"]);
});
