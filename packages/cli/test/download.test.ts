import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";
import { cli, token } from "./registry.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
afterEach(() => registry.heal());

beforeAll(async () => {
  const files = [
    { path: "PROMPT.md", content: "Hello {{name}}" },
    { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" as const },
  ];
  await createClient(registry).prompts.create({
    body: { kind: "text", slug: "reply", title: "Reply", files },
  });
});

let folder = "";
beforeEach(async () => {
  folder = home.place();
  await mkdir(folder);
});
const at = (name: string) => join(folder, name);

describe("download", () => {
  test("writes an archive that other programs unpack, whole and in its place", async () => {
    const { stdout, exitCode } = await registry.cli([
      "download",
      "ada/reply@1",
      "--format",
      "tar.gz",
      "-o",
      at("r.tar.gz"),
    ]);
    expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining("r.tar.gz"), exitCode: 0 });
    execFileSync("tar", ["xzf", at("r.tar.gz"), "-C", folder]);
    expect(await readFile(at("reply-v1/PROMPT.md"), "utf8")).toBe("Hello {{name}}");
    expect((await readdir(folder)).sort()).toEqual(["r.tar.gz", "reply-v1"]);
  });

  test("makes promptfoo's tests of a dataset", async () => {
    const { evals } = createClient(registry);
    const made = await evals.datasets.create({ body: { prompt: "ada/reply", name: "Golden set" } });
    await evals.datasets.cases.create({ id: made?.id ?? "", body: { cases: [{ key: "polite" }] } });
    const line = ["download", "ada/reply", "--format", "promptfoo", "-o", at("r.zip"), "--dataset"];
    expect((await registry.cli([...line, "Golden set"])).exitCode).toBe(0);
    expect(execFileSync("unzip", ["-p", at("r.zip")], { encoding: "utf8" })).toContain("polite");
    const missing = await registry.cli([...line, "none", "--yes"]);
    expect([missing.exitCode, missing.stderr]).toEqual([4, expect.stringContaining('no dataset "none"')]);
  });

  test("writes one file of a tool's format as it is, and says how when it writes a zip", async () => {
    const line = ["download", "ada/reply", "--format", "openai-messages", "-o", at("r.json")];
    const zipped = await registry.cli(line);
    expect(zipped.stderr).toContain(
      "This is a zip. If the format has one file, --unwrap gives the file itself.",
    );
    expect((await readFile(at("r.json"))).subarray(0, 2).toString()).toBe("PK");
    const bare = await registry.cli([...line, "--unwrap", "--yes"]);
    expect(JSON.parse(await readFile(at("r.json"), "utf8")).messages).toHaveLength(1);
    const named = await registry.cli([...line.slice(0, -1), at("r.zip")]);
    expect([bare.stderr, named.stderr].join()).not.toContain("This is a zip.");
  });

  test("asks before it overwrites a file, and leaves it as it was", async () => {
    await writeFile(at("r.zip"), "Mine");
    const line = ["download", "ada/reply", "-o", at("r.zip")];
    expect((await registry.cli(line)).exitCode).toBe(2);
    expect(await registry.cli(line, { answers: [false] })).toMatchObject({
      exitCode: 130,
      asked: [`Overwrite ${at("r.zip")}?`],
    });
    expect([await readFile(at("r.zip"), "utf8"), await readdir(folder)]).toEqual(["Mine", ["r.zip"]]);
    expect((await registry.cli([...line, "--yes"])).exitCode).toBe(0);
    expect((await readFile(at("r.zip"))).subarray(0, 2).toString()).toBe("PK");
  });

  test.each([
    [["ada/reply", "--format", "tar.gzip"], 2, "Did you mean tar.gz?"],
    [["ada/reply", "-o", "."], 6, "is a folder. Name a file in it."],
    [["ada/reply", "-o", "no/such/folder/x.zip"], 6, "cannot be written"],
    [["ada/nothing", "-o", "x.zip"], 4, "Not found."],
    [["ada/reply", "--format", "gemini-command", "-o", "-"], 2, "A terminal cannot show an archive."],
  ])("%j is refused with a sentence", async (args, exitCode, sentence) => {
    const around = { isTTY: args.includes("-") };
    const refused = await registry.cli(["download", ...args], around);
    expect(refused).toMatchObject({ exitCode, stderr: expect.stringContaining(sentence) });
  });
});

test("nothing takes the place of what is no file", async () => {
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(at("socket"), resolve));
  const { exitCode } = await registry.cli(["download", "ada/reply", "-o", at("socket"), "--yes"]);
  expect([exitCode, (await lstat(at("socket"))).isSocket()]).toEqual([6, true]);
  socket.close();
});

test("a connection that breaks leaves no file", async () => {
  let breaks = true;
  const server = createServer((_, response) => {
    response.writeHead(200, { "x-request-id": "req-12345678" });
    response.write("PK");
    setTimeout(() => (breaks ? response.destroy() : response.end()), 50);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const PROMPTREG_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PROMPTREG_URL, PROMPTREG_TOKEN: token };
  const broken = await cli(["download", "ada/reply", "-o", at("r.zip")], { env });
  expect(broken).toMatchObject({ exitCode: 7, stderr: expect.stringContaining("broke off before") });
  expect(await readdir(folder)).toEqual([]);
  breaks = false;
  expect(await cli(["download", "ada/reply", "-o", "-"], { env })).toMatchObject({
    exitCode: 0,
    stdout: "PK",
  });
  server.close();
});
