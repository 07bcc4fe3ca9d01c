import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
afterAll(() => registry.close());

const comment = (...args: string[]) => registry.cli(["comment", ...args]);
const jsonOf = async (...args: string[]) => JSON.parse((await comment(...args, "--json")).stdout);
const idOf = ({ stdout }: { stdout: string }) => stdout.slice(0, 30);

beforeAll(async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  const client = createClient({ baseUrl, token, fetch });
  await client.prompts.create({
    body: { kind: "text", visibility: "public", slug: "greet", title: "Greet", files },
  });
});

describe("comment", () => {
  test("add, reply and edit write, and list shows threads", async () => {
    const added = await comment("add", "ada/greet", "Does it work?\n\nIn *German*?");
    expect(added.stdout).toMatch(/^cmt_\w{26} is written\n$/);
    const root = idOf(added);
    const reply = idOf(
      await registry.cli(["comment", "reply", "ada/greet", root, "-"], { stdin: "It deos." }),
    );
    expect((await comment("edit", reply, "It does.")).stdout).toBe(`${reply} is edited\n`);
    const { stdout } = await comment("list", "ada/greet");
    expect(stdout).toMatch(
      new RegExp(
        `^ada  ${root}  [^\n]*\n  Does it work\\?\n\n  In \\*German\\*\\?\n\n    ada  ${reply}  [^\n]*  edited\n      It does\\.\n$`,
      ),
    );
    const { items, hasMore, locked } = await jsonOf("list", "ada/greet", "--sort", "newest");
    expect([items.length, items[0].replies.length, hasMore, locked]).toEqual([1, 1, false, false]);
    expect((await jsonOf("list", "ada/greet", "--thread", root)).items[0].id).toBe(reply);
  });

  test("takes a version or a change request as its target, and nothing else", async () => {
    await comment("add", "ada/greet@1", "On the version");
    expect((await jsonOf("list", "ada/greet@1")).items[0].target).toEqual({
      type: "version",
      id: "ada/greet@1",
    });
    expect((await comment("list", "ada/greet!12")).stderr).toContain("Not found.");
    for (const target of ["greet", "ada/greet@production", "ada/greet@1!2", "ada/greet!x"])
      expect([target, (await comment("list", target)).exitCode]).toEqual([target, 2]);
    expect((await comment("edit", "cmt_1", "x")).exitCode).toBe(2);
  });

  test("vote counts a vote, turns it, and takes it back", async () => {
    const id = idOf(await comment("add", "ada/greet", "Good"));
    expect((await comment("vote", id)).stderr).toContain("what you made yourself");
    const env = { PROMPTREG_TOKEN: (await registry.createAccount("voter")).token };
    const vote = async (...how: string[]) =>
      (await registry.cli(["comment", "vote", id, ...how], { env })).stdout;
    expect(await vote()).toBe(`${id} has your vote: 1 up, 0 down\n`);
    expect(await vote("--down")).toBe(`${id} has your vote: 0 up, 1 down\n`);
    expect(await vote("--undo")).toBe(`${id} has no vote of yours: 0 up, 0 down\n`);
    expect(JSON.parse(await vote("--json"))).toMatchObject({ up: 1, value: 1 });
    expect((await comment("vote", id, "--down", "--undo")).exitCode).toBe(2);
  });

  test("delete asks, and leaves a stub above replies", async () => {
    const root = idOf(await comment("add", "ada/greet", "Wrong"));
    await comment("reply", "ada/greet", root, "Is it?");
    expect(await comment("delete", root)).toMatchObject({ exitCode: 2, stdout: "" });
    const other = idOf(await comment("add", "ada/greet@1", "Twice"));
    expect(await jsonOf("delete", other, "--yes")).toEqual({ id: other, deleted: true });
    const { asked } = await registry.cli(["comment", "delete", root], { answers: [true] });
    expect(asked).toEqual([`Delete the comment ${root}? Replies to it stay.`]);
    expect((await comment("list", "ada/greet", "--sort", "newest")).stdout).toMatch(
      new RegExp(`^deleted  ${root}  [^\n]*\n\n    ada  cmt_\\w+  [^\n]*\n      Is it\\?\n`),
    );
  });

  test("list --mine shows all that the account wrote, with what it is on", async () => {
    const { stdout } = await comment("list", "--mine", "--limit", "1");
    expect(stdout).toMatch(/^ada\/greet\n  ada  cmt_\w+  [^\n]*\n    Is it\?\n$/);
    const { items, hasMore } = await jsonOf("list", "--mine", "--limit", "2");
    expect([items.length, hasMore]).toEqual([2, true]);
    for (const args of [["list"], ["list", "ada/greet", "--mine"], ["list", "--mine", "--sort", "top"]])
      expect([args, (await comment(...args)).exitCode]).toEqual([args, 2]);
  });

  test("says that a comment waits, and that comments are locked", async () => {
    const spam = "https://a.example https://b.example https://c.example";
    const held = await comment("add", "ada/greet", spam);
    expect(held.stdout).toMatch(/^cmt_\w{26} waits for a moderator: it looks like spam\n$/);
    expect((await comment("unhide", idOf(held))).stderr).toContain("only a moderator can");
    expect((await comment("lock", "ada/greet")).stdout).toBe("Comments on ada/greet are locked\n");
    expect((await comment("unlock", "ada/greet@1")).stdout).toBe(
      "Comments on ada/greet@1 are locked, as on its prompt\n",
    );
    const refused = await comment("add", "ada/greet@1", "More");
    expect(refused.stderr).toContain("Comments are locked here.");
    expect((await comment("list", "ada/greet")).stderr).toContain("Comments are locked");
    await comment("unlock", "ada/greet");
    expect(idOf(await comment("add", "ada/greet@1", "More"))).toMatch(/^cmt_/);
  });
});
