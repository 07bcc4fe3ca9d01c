import { createClient } from "@promptreg/client";
import { afterAll, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
afterAll(() => registry.close());

const example = (command: string, stdin?: string) =>
  registry.cli(["example", ...command.split(" ")], stdin === undefined ? {} : { stdin });

test("example adds an example, lists and shows it, rejects and approves it", async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  const body = { kind: "text" as const, slug: "reply", title: "Reply", files };
  await createClient({ baseUrl, token, fetch }).prompts.create({ body });
  expect((await example("list ada/reply")).stderr).toBe("There are no examples.\n");
  const added = await example("add ada/reply@1 - --title Parcel", "It is on its way.");
  const [, id = ""] = /^(exm_\w+) is approved\n$/.exec(added.stdout) ?? [];
  expect((await example("list ada/reply")).stdout).toMatch(new RegExp(`${id}\tapproved\t1\tada\tParcel`));
  expect((await example(`show ada/reply ${id}`)).stdout).toContain("It is on its way.");
  expect((await example(`reject ${id} --reason Impolite`)).stdout).toBe(`${id} is rejected\n`);
  const { items } = JSON.parse((await example("list ada/reply --status rejected --json")).stdout);
  expect(items).toMatchObject([{ id, rejectReason: "Impolite" }]);
  expect((await example(`approve ${id}`)).stdout).toBe(`${id} is approved\n`);
});

test("example add refuses a label, and variables that are no object", async () => {
  expect((await example("add ada/reply@latest -", "Hi")).stderr).toContain("by its number");
  expect((await example("add ada/reply README.md --variables -", "[]")).exitCode).not.toBe(0);
});
