import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import type { Around } from "./registry.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const bob = await registry.createAccount("bob");

const as = ({ token }: { token: string }, around: Around = {}): Around => ({
  ...around,
  env: { PROMPTREG_TOKEN: token },
});
const ada = (line: string, around?: Around) => registry.cli(["change-request", ...line.split(" ")], around);
const byBob = (...args: string[]) => registry.cli(["change-request", ...args], as(bob));
const jsonOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout);

/** Pushes files as the next version of one's own prompt. */
async function push(
  who: { token: string } | null,
  ref: string,
  files: Record<string, string>,
  message: string,
) {
  const folder = await home.prompt(home.place(), ref, files, { visibility: "public" });
  const args = ["push", folder, "--message", message, "--onto", "latest", "--yes"];
  const done = await registry.cli(args, who ? as(who) : {});
  expect(done).toMatchObject({ exitCode: 0 });
}

const original = { "PROMPT.md": "Dear {{name}},\n", "notes.md": "Keep it short.\n" };

beforeAll(async () => {
  await push(null, "ada/reply", original, "Begin");
});

test("a fork becomes a folder that can be changed and pushed", async () => {
  const folder = home.place();
  const forked = await registry.cli(["fork", "ada/reply", "--into", folder], as(bob));
  expect(forked).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("bob/reply is your public fork of ada/reply@1"),
  });
  const [path = ""] = /(?<=written to ).*(?=\n)/.exec(forked.stdout) ?? [];
  await writeFile(join(path, "PROMPT.md"), "Hello {{name}},\n");
  const pushed = await registry.cli(
    ["push", path, "--message", "A warmer opening\n\nPeople like it.", "--yes"],
    as(bob),
  );
  expect(pushed).toMatchObject({ exitCode: 0 });
});

test("a fork says who can read it, and that all rights are reserved without a license", async () => {
  const fork = (...more: string[]) => registry.cli(["fork", "ada/reply", ...more], as(bob));
  const { stderr } = await fork("--slug", "open-reply");
  expect(stderr).toContain("private: `promptreg edit bob/open-reply --visibility private`.");
  expect(stderr).toContain("It has no license: ada reserves all rights.");
  await registry.cli(["edit", "ada/reply", "--license", "MIT"]);
  expect((await fork("--slug", "own-reply", "--visibility", "private")).stderr).toBe(
    "Write its files into a folder: `promptreg pull bob/own-reply --into <folder>`.\n",
  );
  await registry.cli(["edit", "ada/reply", "--no-license"]);
  await registry.cli(["delete", "bob/open-reply", "--yes"], as(bob));
});

test("a fork that others can read, unlike its source, is made only after a question", async () => {
  const folder = await home.prompt(home.place(), "ada/own", { "PROMPT.md": "Mine" });
  await registry.cli(["push", folder, "--label", "production"]);
  const fork = (...more: string[]) =>
    registry.cli(["fork", "ada/own@production", ...more], { answers: [false] });
  expect(await fork("--visibility", "public")).toMatchObject({
    exitCode: 130,
    asked: ["Make your fork of ada/own public?"],
    stderr: expect.stringContaining("Everyone can read:\n  PROMPT.md"),
  });
  expect((await registry.cli(["list"])).stdout).not.toContain("ada/own-2");
  expect(await fork()).toMatchObject({ exitCode: 0, asked: [] });
});

test("a proposal takes its title from the message of its version, and asks before it is sent", async () => {
  const asked = await registry.cli(["change-request", "create", "bob/reply"], as(bob, { answers: [false] }));
  expect([asked.exitCode, asked.asked]).toEqual([130, ["Propose bob/reply@2 to ada/reply?"]]);
  const created = await byBob("create", "bob/reply", "--body", "Try it.", "--yes");
  expect(created).toMatchObject({ exitCode: 0, stdout: "ada/reply change request 1: A warmer opening\n" });
  const again = await byBob("create", "bob/reply", "--yes");
  expect(again).toMatchObject({ exitCode: 5 });
});

test("what is no fork cannot be proposed, and the command says how to make one", async () => {
  const refused = await ada("create ada/reply --yes");
  expect(refused).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining("promptreg fork owner/slug"),
  });
});

test("only a change with a title of 1 to 120 characters is proposed, and of a private fork it is said who can then read it", async () => {
  const propose = (...title: string[]) =>
    registry.cli(["change-request", "create", "bob/own-reply", ...title], as(bob, { answers: [false] }));
  const unchanged = expect.stringContaining("bob/own-reply@1 is an unchanged copy of ada/reply");
  expect(await propose()).toMatchObject({ exitCode: 6, asked: [], stderr: unchanged });
  const body = JSON.stringify({ files: [{ path: "PROMPT.md", content: "Dear {{name}}!\n" }] });
  const version = ["api", "prompts.versions.create", "owner=bob", "slug=own-reply", "--body", body];
  await registry.cli(version, as(bob));
  expect(await propose()).toMatchObject({ exitCode: 2, asked: [] });
  expect(await propose("--title", "t".repeat(121))).toMatchObject({ exitCode: 2, asked: [] });
  expect(await propose("--title", "t".repeat(120))).toMatchObject({
    exitCode: 130,
    asked: [
      "Propose bob/own-reply@2 to ada/reply? Whoever can read ada/reply can then read what it changes.",
    ],
  });
  expect(await propose("--body", "Why", "--body-file", "why.md")).toMatchObject({ exitCode: 2, asked: [] });
});

test("it is listed, shown and compared", async () => {
  expect((await ada("list ada/reply")).stdout).toMatch(/^1\topen\tbob\tclean\t.*\tA warmer opening\n$/);
  expect((await ada("list ada/reply --state merged")).stderr).toBe("There is no such change request.\n");
  const { stdout } = await ada("show ada/reply 1");
  for (const part of [
    "open, can be merged",
    "bob/reply, version 2",
    "ada/reply@1",
    "1 file, +1 −1",
    "Try it.",
  ])
    expect(stdout).toContain(part);
  expect((await ada("diff ada/reply #1")).stdout).toContain("+Hello {{name}},");
  expect((await ada("show ada/reply 2")).exitCode).toBe(4);
  for (const text of ["two", "a1", "1a", "0"]) expect((await ada(`show ada/reply ${text}`)).exitCode).toBe(2);
});

test("another version, title and body can be proposed instead", async () => {
  await push(bob, "bob/reply", { ...original, "PROMPT.md": "Hi {{name}},\n" }, "Shorter");
  await registry.cli(["label", "move", "bob/reply", "kept", "2", "--yes"], as(bob));
  expect((await byBob("edit", "ada/reply", "1", "--propose", "kept")).stdout).toContain(": version 2, ");
  const why = ["change-request", "edit", "ada/reply", "1", "--body-file", "-", "--json"];
  expect(jsonOf(await registry.cli(why, as(bob, { stdin: "\nPeople like it.\n\n" })))).toMatchObject({
    body: "People like it.",
    source: { versionNumber: 2 },
  });
  const edited = await byBob("edit", "ada/reply", "1", "--propose", "latest", "--title", "Say hi");
  expect(edited).toMatchObject({
    stderr: "",
    stdout: "ada/reply change request 1 is changed: version 3, Say hi\n",
  });
  expect((await byBob("edit", "ada/reply", "1")).exitCode).toBe(2);
});

test("a merge names the files that both sides changed, and takes the proposed ones only if told to", async () => {
  await push(null, "ada/reply", { ...original, "PROMPT.md": "Greetings {{name}},\n" }, "Formal");
  const refused = await ada("merge ada/reply 1 --yes");
  expect(refused).toMatchObject({ exitCode: 5 });
  for (const part of ["PROMPT.md", "--theirs", "bob", "edit ada/reply 1 --propose latest --base 2"])
    expect(refused.stderr).toContain(part);
  const shown = await ada("merge ada/reply 1 --theirs --json", { answers: [true] });
  expect(shown.asked).toEqual(["Merge change request 1 into ada/reply?"]);
  for (const line of ["-Greetings {{name}},", "+Hi {{name}},"]) expect(shown.stderr).toContain(line);
  expect(jsonOf(shown)).toMatchObject({
    changeRequest: { state: "merged", target: { mergedVersionNumber: 3 } },
    version: { n: 3 },
  });
  expect((await registry.cli(["cat", "ada/reply"])).stdout).toBe("Hi {{name}},\n");
  expect((await ada("show ada/reply 1")).stdout).toContain("merged as version 3 by ada");
  expect((await registry.cli(["log", "ada/reply"])).stdout).toMatch(
    /^3\t\tbob, merged by ada\t.*\(merge of change request 1\)$/m,
  );
  expect((await registry.cli(["show", "bob/reply"])).stdout).toMatch(/forked from\s+ada\/reply@1/);
  const { stdout } = await registry.cli(["show", "ada/reply"]);
  expect(stdout).toContain("version 3 (merge of change request 1) of bob, merged by ada");
  expect((await registry.cli(["resolve", "ada/reply@3"])).stdout).toContain(" by bob, merged by ada\n");
  const moved = await registry.cli(["label", "move", "ada/reply", "beta", "3", "--yes"]);
  expect(moved.stderr).toContain(" by bob, merged by ada");
  expect((await ada("list ada/reply")).stderr).toBe(
    "None is open. `promptreg change-request list ada/reply --state all` lists merged and closed ones too.\n",
  );
  expect((await registry.cli(["list"], as(bob))).stdout).toMatch(/^bob\/reply\t.*\(fork of ada\/reply\)$/m);
});

test("nothing is merged that was not shown", async () => {
  await push(bob, "bob/reply", { ...original, "PROMPT.md": "Good {{name}}\n" }, "Good");
  await push(bob, "bob/reply", { ...original, "PROMPT.md": "Evil {{name}}\n" }, "Evil");
  await byBob("create", "bob/reply@4", "--yes");
  let asked = "";
  const swapped = await registry.cli(["change-request", "merge", "ada/reply", "2"], {
    confirm: async (question) => {
      asked = question;
      await byBob("edit", "ada/reply", "2", "--propose", "5");
      return true;
    },
  });
  expect([asked, swapped.exitCode]).toEqual(["Merge change request 2 into ada/reply?", 5]);
  expect((await registry.cli(["cat", "ada/reply"])).stdout).toBe("Hi {{name}},\n");
  await byBob("close", "ada/reply", "2");
});

test("a stranger cannot merge; its author closes and reopens it", async () => {
  await push(bob, "bob/reply", { ...original, "PROMPT.md": "Hi {{name}}!\n" }, "With a mark");
  await byBob("create", "bob/reply", "--yes");
  const stranger = await registry.cli(
    ["change-request", "merge", "ada/reply", "3"],
    as(bob, { answers: [true] }),
  );
  expect(stranger).toMatchObject({ exitCode: 3, asked: [] });
  expect((await byBob("close", "ada/reply", "3")).stdout).toBe("ada/reply change request 3 is closed\n");
  expect((await ada("merge ada/reply 3 --yes")).exitCode).toBe(5);
  expect((await byBob("reopen", "ada/reply", "3")).stdout).toBe("ada/reply change request 3 is open\n");
  const files = [
    { path: "PROMPT.md", content: "Hi {{name}},\n" },
    { path: "notes.md", content: "Keep it long.\n" },
  ];
  const outrun = await registry.cli(["change-request", "merge", "ada/reply", "3"], {
    confirm: async () => {
      const version = ["api", "prompts.versions.create", "owner=ada", "slug=reply"];
      const { exitCode } = await registry.cli([...version, "--body", JSON.stringify({ files })]);
      return exitCode === 0;
    },
  });
  expect(outrun.exitCode).toBe(5);
  expect((await ada("merge ada/reply 3 --message Shorter --yes")).stdout).toBe(
    "ada/reply has version 5, of change request 3\n",
  );
  expect((await registry.cli(["log", "ada/reply"])).stdout).toMatch(/^5\t.*\tShorter/m);
});
