import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const { make, put, whereIs } = labelling(registry);
let token: string;

beforeAll(async () => {
  ({ token } = await registry.createAccount("ada", { scopes: ["write"] }));
  await make("seen", 2);
  await make("hidden", 2);
  await createClient(registry).prompts.update({
    owner: "ada",
    slug: "hidden",
    body: { visibility: "private" },
  });
  await put("seen", "production", 1);
});

/** Runs a command with a token that may write, and not read. */
async function blindly(...args: string[]) {
  const { exitCode, stdout } = await registry.cli(args, { env: { PROMPTREG_TOKEN: token } });
  expect(exitCode).toBe(0);
  return stdout;
}

test("what a token without the scope read changes is told as done", async () => {
  await blindly("label", "move", "ada/seen", "production", "2", "--yes");
  expect(await whereIs("seen", "production")).toBe(2);
  expect(await blindly("restore", "ada/seen@1")).toBe(
    "ada/seen is now at a new version, a copy of version 1\n",
  );
  const client = createClient(registry);
  const { id } = await client.webhooks.create({ body: { url: "http://127.0.0.1:9/hook" } });
  expect(await blindly("webhook", "update", id, "--description", "New")).toBe(`${id} is changed.\n`);
  const ping = await client.webhooks.test({ id });
  const deliveryId = ping?.id ?? "";
  expect(await blindly("webhook", "redeliver", id, deliveryId)).toBe(`${deliveryId} is sent again\n`);
});

test("what such a token cannot see is not said to be missing", async () => {
  const one = await home.prompt(home.place(), "ada/hidden");
  const tree = home.place();
  for (let index = 0; index < 11; index += 1) await home.prompt(`${tree}/${index}`, `ada/hidden-${index}`);
  for (const args of [
    ["push", one],
    ["push", one, "--dry-run"],
    ["push", tree],
    ["status", one],
    ["diff", one],
    ["show", "ada/hidden"],
    ["label", "move", "ada/hidden", "production", "1"],
    ["yank", "ada/hidden@1"],
    ["delete", "ada/hidden"],
    ["edit", "ada/hidden", "--title", "New"],
  ]) {
    const { exitCode, stdout, stderr } = await registry.cli([...args, "--yes"], {
      env: { PROMPTREG_TOKEN: token },
    });
    expect({ args, exitCode, stdout, stderr }).toEqual({
      args,
      exitCode: 3,
      stdout: "",
      stderr: "error: This token lacks the scope read. Use a token that has it.\n",
    });
  }
});

test("what is refused for another reason is told as such", async () => {
  const around = { env: { PROMPTREG_TOKEN: token } };
  expect((await registry.cli(["rename", "ada/seen", "hidden"], around)).exitCode).toBe(5);
});

test("what is missing to a token that may read is missing", async () => {
  expect((await registry.cli(["show", "ada/never"])).exitCode).toBe(4);
});
