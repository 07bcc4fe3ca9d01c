import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, fetch } = registry;
afterAll(() => registry.close());

const as = (token: string, ...args: string[]) => registry.cli(args, { env: { PROMPTREG_TOKEN: token } });
let bob: string;
let mod: string;

beforeAll(async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  const client = createClient({ baseUrl, token: registry.token, fetch });
  await client.prompts.create({
    body: { kind: "text", visibility: "public", slug: "greet", title: "Greet", files },
  });
  bob = (await registry.createAccount("bob")).token;
  mod = (await registry.createAccount("mod", { role: "moderator" })).token;
});

test("somebody reports a comment, a moderator sees it with what it says and hides it, and both sides are told", async () => {
  const { stdout: written } = await registry.cli(["comment", "add", "ada/greet", "Buy my watches"]);
  const comment = written.slice(0, 30);
  expect((await as(bob, "report", "create", comment, "--reason", "spam", "--details", "An ad")).stdout).toBe(
    `comment ${comment} is reported. You are notified of the decision.\n`,
  );
  const queue = await as(mod, "moderate", "queue");
  expect(queue.stdout).toMatch(
    new RegExp(`^rpt_\\w{26}  spam  comment ${comment}  of ada  [^\n]*\n  > Buy my watches\n  bob: An ad\n$`),
  );
  const report = queue.stdout.slice(0, 30);
  const resolved = await as(
    mod,
    "moderate",
    "resolve",
    report,
    "--action",
    "hidden",
    "--note",
    "No ads here.",
  );
  expect(resolved.stdout).toBe(`${report} is resolved: hidden\n`);
  expect((await as(mod, "moderate", "queue")).stderr).toBe("There are no reports that are open.\n");
  const mine = JSON.parse((await as(bob, "report", "list", "--status", "resolved", "--json")).stdout);
  expect(mine.items[0]).toMatchObject({ id: report, action: "hidden", note: "No ads here.", reporter: null });
  const counted = await as(bob, "notification", "count", "--json");
  expect([counted.stderr, JSON.parse(counted.stdout || "null")]).toEqual(["", { unread: 1 }]);
  const listed = await as(bob, "notification", "list", "--unread");
  expect(listed.stdout).toContain("Your report was resolved");
  expect((await registry.cli(["notification", "list"])).stdout).toContain(
    "A moderator hid something of yours",
  );
  const narrow = await registry.cli(["notification", "list"], {
    isTTY: true,
    columns: 80,
    env: { PROMPTREG_TOKEN: bob, NO_COLOR: "1" },
  });
  expect(narrow.stdout).toMatch(/^Your report was resolved .*\n {2}ntf_\w{26} {2}http\S+status=resolved$/m);
  expect(JSON.parse((await as(bob, "notification", "read", "--all", "--json")).stdout)).toEqual({
    updated: 1,
    unread: 0,
  });
});

test("who looks at reports is told of comments and posts that wait, too", async () => {
  const author = createClient({ baseUrl, token: bob, fetch });
  const { id } = await author.posts.create({ body: { title: "Mine", body: "Look" } });
  await author.posts.submit({ id, body: {} });
  expect((await as(mod, "moderate", "queue")).stderr).toBe(
    "There are no reports that are open.\nPosts wait, too: `promptreg post list --in-review` lists them.\n",
  );
  const links = "https://a.example https://b.example https://c.example";
  const held = await author.comments.create({
    body: { target: { type: "prompt", id: "ada/greet" }, body: links },
  });
  expect((await as(mod, "moderate", "queue")).stderr).toContain(
    "Comments wait, too: `promptreg comment held`",
  );
  expect((await as(mod, "moderate", "queue", "--json")).stderr).toBe("");
  await author.comments.delete({ id: held.id });
});

test("whoever has no token of a moderator is told so, instead of an empty queue", async () => {
  const { exitCode, stdout, stderr } = await as(bob, "moderate", "queue");
  expect([exitCode, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(
    /^error: Only moderators list all reports\. .*token create --user bob --role moderator/,
  );
});

test("whoami and login tell the role of a token that has one", async () => {
  expect((await as(mod, "whoami")).stdout).toMatch(/^token .*: read, write, role moderator$/m);
  expect((await as(bob, "whoami")).stdout).not.toContain("role");
  const env = { XDG_CONFIG_HOME: await mkdtemp(join(tmpdir(), "promptreg-")), PROMPTREG_TOKEN: "" };
  const { stdout } = await registry.cli(["login"], { stdin: mod, env });
  expect(stdout).toMatch(/^token .*, role moderator$/m);
});

test("comments that are held are listed for a moderator with what they are about", async () => {
  const links = "See https://a.example, https://b.example and https://c.example";
  await as(bob, "comment", "add", "ada/greet", links);
  expect((await as(mod, "comment", "held")).stdout).toMatch(
    /^ada\/greet\n {2}bob {2}cmt_\w{26} {2}[^\n]*held\n {4}See https/,
  );
  expect((await as(bob, "comment", "held")).stderr).toContain("Only moderators list what is held.");
});

test("a moderator sees how many report the same, and who", async () => {
  const carl = (await registry.createAccount("carl")).token;
  await as(bob, "report", "create", "ada/greet", "--reason", "spam");
  const one = await as(mod, "moderate", "queue");
  expect(one.stdout).toMatch(
    /^rpt_\w{26} {2}spam {2}prompt ada\/greet {2}of ada {2}\S+\n {2}> Greet\n {2}reported by bob\n$/,
  );
  await as(carl, "report", "create", "ada/greet", "--reason", "other", "--details", "Look");
  const both = await as(mod, "moderate", "queue");
  expect(both.stdout.match(/of ada {2}2 reports on it|reported by bob|carl: Look/g)).toHaveLength(4);
});

test.each([
  [["report", "create", "greet", "--reason", "spam"], "owner/slug"],
  [["report", "create", "ada/greet"], "--reason"],
  [["report", "create", "ada/greet", "--reason", "bad"], "Allowed choices are spam"],
  [["moderate", "resolve", "rpt_1"], "rpt_ and 26"],
  [["notification", "read"], "--all"],
])("%j is a mistake in its use, and is told what to write", async (args, said) => {
  const { exitCode, stderr } = await registry.cli(args);
  expect([exitCode, stderr.includes(said), stderr]).toEqual([2, true, stderr]);
});
