import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const client = createClient({ baseUrl, token, fetch });
afterAll(() => registry.close());

const slugs = Array.from({ length: 7 }, (_, nth) => `prompt-${nth}`);
const refs = slugs.map((slug) => `ada/${slug}@production`);
let file: string;
const move = (slug: string, versionNumber: number) =>
  client.prompts.labels.put({ owner: "ada", slug, name: "production", body: { versionNumber } });

beforeAll(async () => {
  for (const slug of slugs) {
    const files = [{ path: "PROMPT.md", content: `Text of ${slug}` }];
    const visibility = slug === "prompt-3" ? ("private" as const) : ("public" as const);
    const body = { kind: "text" as const, slug, title: slug, files, visibility, labels: ["production"] };
    await client.prompts.create({ body });
    const next = [{ path: "PROMPT.md", content: `Another text of ${slug}` }];
    await client.prompts.versions.create({ owner: "ada", slug, body: { files: next } });
  }
});
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), "promptreg-")), "promptreg.lock");
  await run("lock", ...refs);
  registry.requests.length = 0;
});

async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await registry.cli([...args, "--file", file, "--json"]);
  expect([exitCode, stderr.includes("rror")]).toEqual([0, false]);
  return stdout;
}

/** The operations that were asked, with how often. */
const asked = (): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { operation } of registry.requests) counts[operation ?? ""] = (counts[operation ?? ""] ?? 0) + 1;
  return counts;
};

const once = { "users.me.get": 1, "prompts.list": 1 };

describe("many locked prompts of an owner", () => {
  test("are locked, checked and compared with one request for a hundred, private ones too", async () => {
    await run("lock");
    expect(asked()).toEqual(once);
    registry.requests.length = 0;
    await run("ci");
    expect(asked()).toEqual(once);
    registry.requests.length = 0;
    const { prompts } = JSON.parse(await run("outdated")) as { prompts: object[] };
    expect(prompts).toHaveLength(7);
    expect(asked()).toEqual(once);
  });

  test("are locked as one by one", async () => {
    const text = await readFile(file, "utf8");
    for (const ref of refs) await run("lock", ref);
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("of which one moved: its locked version is asked for alone", async () => {
    await move("prompt-2", 2);
    registry.requests.length = 0;
    await run("ci");
    expect(asked()).toEqual({ ...once, "prompts.get": 1 });
    const { prompts } = JSON.parse(await run("outdated")) as { prompts: { status: string }[] };
    expect(prompts.filter(({ status }) => status !== "current")).toMatchObject([
      {
        ref: "ada/prompt-2@production",
        locked: 1,
        current: 2,
        movedAt: expect.any(String),
        status: "outdated",
      },
    ]);
    await run("lock");
    expect(
      (JSON.parse(await readFile(file, "utf8")) as { prompts: Record<string, { version: number }> }).prompts[
        "ada/prompt-2@production"
      ]?.version,
    ).toBe(2);
    await move("prompt-2", 1);
  });

  test("are listed from five on, and fewer asked for alone", async () => {
    for (const [count, expected] of [
      [5, once],
      [4, { "prompts.get": 4 }],
    ] as const) {
      await rm(file);
      registry.requests.length = 0;
      await run("lock", ...refs.slice(0, count));
      expect(asked()).toEqual(expected);
    }
  });

  test("of a registry that has no such list are asked for one by one", async () => {
    registry.fail({ status: 422, code: "validation_failed" }, { on: "prompts.list" });
    await run("lock");
    registry.heal();
    expect(asked()).toMatchObject({ "prompts.get": 7 });
  });

  test("are not asked for one by one where the list fails otherwise", async () => {
    registry.fail({ code: "forbidden" }, { on: "prompts.list" });
    const { exitCode } = await registry.cli(["lock", "--file", file]);
    registry.heal();
    expect([exitCode, asked()["prompts.get"]]).toEqual([3, undefined]);
  });
});
