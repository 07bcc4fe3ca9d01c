import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeConfig } from "../src/settings/config-file.ts";
import { startReal } from "./real.ts";
import { cli } from "./registry.ts";

const registry = await startReal();
afterAll(() => registry.close());

beforeAll(async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  for (const slug of ["reply", "greeting"]) {
    const body = JSON.stringify({ slug, title: `A ${slug}`, kind: "text", files, message: "The first" });
    await registry.cli(["api", "prompts.create", "--body", body]);
  }
  await registry.cli(["api", "PUT", "/prompts/ada/reply/labels/production", "versionNumber:=1"]);
  await registry.cli(["dataset", "create", "ada/reply", "refunds"]);
});

const complete = async (words: readonly string[], around = {}) => {
  const { stdout, stderr, exitCode } = await registry.cli(["__complete", "--", ...words], around);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout.split("\n").filter(Boolean);
};
const wordsOf = (lines: readonly string[]) => lines.map((line) => line.split("\t")[0]);

describe("without a server", () => {
  test.each([
    [["lab"], ["label"]],
    [["label", "mo"], ["move"]],
    [["help", "label", "mo"], ["move"]],
    [["--json", "label", "mo"], ["move"]],
    [["push", "--dr"], ["--dry-run"]],
    [["push", "--j"], ["--json"]],
    [
      ["eval", "report", "--verdict", ""],
      ["pass", "fail"],
    ],
    [["eval", "report", "--verdict=f"], ["--verdict=fail"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [
      ["api", "users.me."],
      ["users.me.get", "users.me.update"],
    ],
    [["api", "DELETE", "/we"], ["/webhooks/{id}"]],
    [
      ["api", "prompts.labels.put", "owner=ada", ""],
      ["slug=", "name="],
    ],
    [["list", "--kind", "te"], ["text"]],
    [["open", "ada/reply", "--in", "chat"], ["chatgpt"]],
    [["install", "ada/reply", "--for", "cu"], ["cursor"]],
    [["install", "ada/reply", "--format=openai"], ["--format=openai-messages"]],
    [["download", "ada/reply", "--format", "ta"], ["tar.gz"]],
    [["push", "exam"], [":files"]],
    [["nothing", ""], expect.any(Array)],
  ])("%j is completed", async (words, expected) => {
    const fetch = async () => {
      throw new Error("Nothing should be asked.");
    };
    expect(wordsOf(await complete(words, { fetch }))).toEqual(expected);
  });

  test("commands come with what they do", async () => {
    expect(await complete(["whoa"])).toEqual(["whoami\tShows the account of the token, and its scopes."]);
  });

  test("an option that was given is not offered again, unless it can be repeated", async () => {
    const words = wordsOf(await complete(["push", "--dry-run", "--label", "a", "--"]));
    expect(words).not.toContain("--dry-run");
    expect(words).toContain("--label");
  });
});

describe("from the server come", () => {
  test("prompts, one's own first", async () => {
    await registry.createAccount("bob");
    expect((await complete(["cat", ""])).sort()).toEqual(["ada/greeting\tA greeting", "ada/reply\tA reply"]);
  });

  test.each([
    [
      ["cat", "ada/reply@"],
      ["ada/reply@latest", "ada/reply@production", "ada/reply@1"],
    ],
    [["cat", "ada/reply@p"], ["ada/reply@production"]],
    [["label", "move", "ada/reply", "p"], ["production"]],
    [["label", "move", "ada/reply", "production", ""], ["1"]],
    [["dataset", "show", "ada/reply", "ref"], ["refunds"]],
    [["diff", "ada/reply", "production..l"], ["production..latest"]],
    [["eval", "report", "x.json", "--prompt", "ada/g"], ["ada/greeting"]],
  ])("what is known at %j", async (words, expected) => {
    expect(wordsOf(await complete(words))).toEqual(expected);
  });

  test("the prompts that begin so, however many newer ones there are", { tags: "long" }, async () => {
    const files = [{ path: "PROMPT.md", content: "Hello" }];
    const create = (slug: string) =>
      registry.cli([
        "api",
        "prompts.create",
        "--body",
        JSON.stringify({ slug, title: slug, kind: "text", files }),
      ]);
    await create("the-oldest");
    for (let count = 0; count < 101; count += 1) await create(`newer-${count}`);
    expect(wordsOf(await complete(["cat", "ada/the"]))).toEqual(["ada/the-oldest"]);
    expect(wordsOf(await complete(["cat", "ada/"]))).toHaveLength(100);
  });

  test("nothing, quietly, where it fails", async () => {
    expect(await complete(["cat", ""], { env: { PROMPTREG_URL: "nowhere" } })).toEqual([]);
    expect(await complete(["label", "move", "ada/never", ""])).toEqual([]);
    expect(await complete(["label", "move", "no address", ""])).toEqual([]);
  });

  test("no line breaks and no commands to the terminal, whoever wrote them", async () => {
    await registry.cli(["api", "PATCH", "/prompts/ada/greeting", 'title:="Two\\u001b[2J words"']);
    const lines = await complete(["cat", "ada/g"]);
    for (const line of lines) expect(line).not.toContain("\u001b");
  });
});

test("webhooks come with their address, and deliveries with what became of them", async () => {
  const client = createClient(registry);
  const { id } = await client.webhooks.create({ body: { url: "http://127.0.0.1:9/hook" } });
  const ping = await client.webhooks.test({ id });
  expect(await complete(["webhook", "delivery", "wh"])).toEqual([`${id}\thttp://127.0.0.1:9/hook`]);
  expect(await complete(["webhook", "delivery", id, ""])).toEqual([`${ping.id}\tping, pending`]);
});

test("profiles come from the file of this machine", async () => {
  const env = { XDG_CONFIG_HOME: await mkdtemp(join(tmpdir(), "promptreg-")) };
  const work = { url: "https://work.example", token: "prt_work" };
  await changeConfig(env, () => ({ profiles: { work } }));
  expect(await complete(["--profile", "w"], { env })).toEqual(["work\thttps://work.example"]);
  expect(await complete(["profile", "use", ""], { env })).toEqual(["work\thttps://work.example"]);
});

test("what is installed comes from the project's record", async () => {
  const project = await mkdtemp(join(tmpdir(), "promptreg-"));
  await registry.cli(["install", "ada/reply", "--for", "cursor", "--for", "claude", "--project", project]);
  expect(await complete(["uninstall", "--project", project, "ada/r"])).toEqual([
    "ada/reply\tfor claude, cursor",
  ]);
  await rm(project, { recursive: true });
});

describe("the script", () => {
  const shells = { bash: ["-n"], zsh: ["-n"], fish: ["--no-execute"] };
  test.each(Object.entries(shells))("for %s is one that it can read", async (shell, args) => {
    const { stdout } = await cli(["completion", shell]);
    const running = promisify(execFile)(shell, [...args, "-c", stdout]);
    // Not every machine has every shell.
    const read = await running.catch((error) => (error.code === "ENOENT" ? { stderr: "" } : error));
    expect(read.stderr).toBe("");
  });
});
