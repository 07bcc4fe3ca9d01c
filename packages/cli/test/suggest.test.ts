import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { makeHome, writeAll } from "./folders.ts";
import { promptOf, versionOf } from "./prompts.ts";
import { type Around, refusal, startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await makeHome();
const { folderOf } = home;
afterEach(registry.reset);
afterAll(registry.close);

const files = { "PROMPT.md": "Dear {{name}}\n" };
const suggests = (suggestions: object) =>
  registry.answer("POST /ai/suggestions", {
    json: { suggestions, provider: "heuristic", model: null, usage: null },
  });
const asked = () => registry.seen.filter(({ path }) => path === "/ai/suggestions").map(({ body }) => body);
const sent = () => registry.seen.filter(({ method, path }) => method !== "GET" && path !== "/ai/suggestions");
const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, "promptreg.json"), "utf8"));

const bare = () =>
  folderOf({ ...files, "promptreg.json": JSON.stringify({ prompt: "ada/reply", kind: "text", tags: [] }) });

describe("push --suggest", () => {
  test("fills in what the manifest lacks, and pushes that", async () => {
    suggests({ title: "A letter", summary: "Writes letters." });
    registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
    registry.answer("POST /prompts", { status: 201, json: promptOf(await versionOf(1, files)) });
    const folder = await bare();
    const { exitCode, stderr, stdout } = await registry.cli(["push", folder, "--suggest", "--yes", "--json"]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain("title    A letter");
    expect(asked()).toEqual([
      {
        files: [{ path: "PROMPT.md", content: files["PROMPT.md"] }],
        kind: "text",
        fields: ["title", "summary"],
      },
    ]);
    expect(await manifestOf(folder)).toMatchObject({
      title: "A letter",
      summary: "Writes letters.",
      tags: [],
    });
    expect(sent().map(({ body }) => body)).toMatchObject([{ title: "A letter", summary: "Writes letters." }]);
    expect(JSON.parse(stdout).results).toMatchObject([
      { suggested: { title: "A letter", provider: "heuristic", model: null } },
    ]);
  });

  test.each<[string, Around, number]>([
    ["no", { answers: [false] }, 130],
    ["nothing, in a pipe", {}, 2],
  ])("writes and sends nothing if the answer is %s", async (_, around, code) => {
    suggests({ title: "A letter" });
    const folder = await bare();
    const before = await manifestOf(folder);
    const { exitCode } = await registry.cli(["push", folder, "--suggest"], around);
    expect([exitCode, await manifestOf(folder), sent()]).toEqual([code, before, []]);
  });

  test("asks for the message of a commit that has none, and not for what is written", async () => {
    suggests({ message: "Change PROMPT.md: add variable agent" });
    const remote = promptOf(await versionOf(3, files));
    registry.answer("GET /prompts/ada/reply", { json: remote });
    registry.answer("GET /prompts/ada/reply/versions?limit=100", {
      json: { items: [{ n: 3, yanked: null }], nextCursor: null },
    });
    registry.answer("POST /prompts/ada/reply/versions", {
      status: 201,
      json: { ...(await versionOf(4, files)), warnings: [] },
    });
    const folder = await folderOf({});
    await home.prompt(folder, "ada/reply", files, { title: "Reply", summary: null, tags: [] });
    await writeAll(folder, { "PROMPT.md": "Dear {{name}}, {{agent}}\n" });
    const push = (...more: string[]) =>
      registry.cli(["push", folder, "--onto=3", "--suggest", "--yes", ...more]);
    expect((await push()).stderr).toContain("message  Change PROMPT.md: add variable agent");
    expect(asked()).toMatchObject([{ prompt: "ada/reply", fields: ["message"] }]);
    expect(sent()[0]?.body).toMatchObject({ message: "Change PROMPT.md: add variable agent" });
    await push("--message", "Mine");
    expect(asked()).toHaveLength(1);
  });

  test("sends no secret to be described", async () => {
    const secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    const folder = await bare();
    await writeAll(folder, { "PROMPT.md": `Use ${secret}.` });
    const { exitCode } = await registry.cli(["push", folder, "--suggest", "--yes"]);
    expect([exitCode, registry.seen]).toEqual([6, []]);
  });

  test("says that the server makes none", async () => {
    registry.answer("POST /ai/suggestions", refusal(503, "suggestions_unavailable"));
    const { exitCode, stderr } = await registry.cli(["push", await bare(), "--suggest", "--yes"]);
    expect([exitCode, stderr]).toEqual([7, expect.stringContaining("suggestions_unavailable")]);
  });

  test("goes with no dry run, which writes nothing", async () => {
    const { exitCode } = await registry.cli(["push", await bare(), "--suggest", "--dry-run"]);
    expect([exitCode, registry.seen]).toEqual([2, []]);
  });
});
