import { createClient } from "@promptreg/client";
import { afterAll, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
afterAll(() => registry.close());

const star = (command: string) => registry.cli(["star", ...command.split(" ")]);

test("star marks a prompt, lists it, and takes the mark away", async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  const body = { kind: "text" as const, slug: "reply", title: "Reply", files };
  await createClient({ baseUrl, token, fetch }).prompts.create({ body });
  expect((await star("add ada/reply")).stdout).toBe("ada/reply is starred\n");
  expect(JSON.parse((await star("add ada/reply --json")).stdout)).toEqual({ starred: true, starCount: 1 });
  expect((await star("list --kind text")).stdout).toMatch(/ada\/reply\t.*Reply/);
  expect((await star("list --kind skill")).stderr).toBe("No prompt is starred.\n");
  expect((await star("remove ada/reply")).stdout).toBe("ada/reply is not starred\n");
  expect(JSON.parse((await star("list --json")).stdout)).toEqual({ items: [], hasMore: false });
});
