import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const bob = await registry.createAccount("bob");

/** Runs a command line as somebody, who says yes to every question, and expects that it works. */
const as =
  ({ token }: { token: string }) =>
  async (...args: string[]) => {
    const done = await registry.cli([...args, "--yes"], { env: { PROMPTREG_TOKEN: token } });
    expect({ ...done, args }).toMatchObject({ exitCode: 0 });
    return done;
  };
const ada = as(registry);
const byBob = as(bob);

const opening = (greeting: string) => `${greeting} {{customer}},\n\nAnswer the complaint in two sentences.\n`;
/** What an application gets that starts now. */
const served = async () => {
  const { baseUrl, token, fetch } = registry;
  const handle = createClient({ baseUrl, token, fetch }).prompt("ada/complaint@production");
  return (await handle.compile({ customer: "Kim" })).text.split("\n", 1).join();
};

test("two people make one prompt better: found, forked, proposed, merged, labelled, rolled back, installed", async () => {
  const about = { title: "Answer a complaint", visibility: "public", tags: ["support"], kind: "command" };
  const own = await home.prompt(home.place(), "ada/complaint", { "COMMAND.md": opening("Dear") }, about);
  await ada("push", own, "--message", "Begin", "--label", "production");
  expect(await served()).toBe("Dear Kim,");

  const found = await byBob("search", "complaints", "--json");
  expect(JSON.parse(found.stdout).items[0].entity.ref).toBe("ada/complaint");

  const place = home.place();
  await mkdir(place);
  const forked = await byBob("fork", "ada/complaint", "--into", place, "--json");
  const [{ folder }] = JSON.parse(forked.stdout).results;
  await writeFile(join(folder, "COMMAND.md"), opening("Hello"));
  await byBob("push", folder, "--message", "A warmer opening");
  await byBob("change-request", "create", "bob/complaint");
  expect((await ada("change-request", "diff", "ada/complaint", "1")).stdout).toContain(
    "+Hello {{customer}},",
  );
  await ada("change-request", "merge", "ada/complaint", "1");
  expect(await served()).toBe("Dear Kim,");

  await ada("label", "move", "ada/complaint", "production", "2", "--reason", "Warmer");
  expect(await served()).toBe("Hello Kim,");
  await ada("label", "rollback", "ada/complaint", "production");
  expect(await served()).toBe("Dear Kim,");

  const project = home.place();
  await mkdir(project);
  const install = (which: string) =>
    byBob("install", which, "--for", "claude", "--for", "cursor", "--project", project);
  await install("ada/complaint@production");
  const installed = (path: string) => readFile(join(project, path), "utf8");
  expect(await installed(".claude/commands/complaint.md")).toContain("Dear $ARGUMENTS,");
  await ada("label", "move", "ada/complaint", "production", "2");
  await byBob("update", "--project", project);
  expect(await installed(".claude/commands/complaint.md")).toContain("Hello $ARGUMENTS,");
  expect(await installed(".cursor/commands/complaint.md")).toContain(
    "Answer the complaint in two sentences.",
  );
});
