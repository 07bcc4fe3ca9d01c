import { execFileSync } from "node:child_process";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Client, createClient } from "../index.ts";
import { createTestRegistry, type TestRegistry } from "./index.ts";

// What it answers is held against the server's answers in @promptreg/server: this is about what it is beside that.

let registry: TestRegistry;
let client: Client;
const greeting = { owner: "ada", slug: "greeting" };
const files = (content: string) => [{ path: "PROMPT.md", content }];
const create = (who: Client) =>
  who.prompts.create({ body: { kind: "text", slug: "greeting", title: "Greeting", files: files("Hello") } });

beforeEach(() => {
  registry = createTestRegistry();
  client = createClient({ ...registry, retries: 0 });
});

test("sees nothing of another one in the same process", async () => {
  const other = createClient(createTestRegistry());
  await create(other);
  await expect(client.prompts.get(greeting)).rejects.toMatchObject({ code: "not_found" });
  const stranger = createClient({ ...registry, token: createTestRegistry().token });
  await expect(stranger.prompts.get(greeting)).rejects.toMatchObject({ code: "invalid_token" });
});

test("keeps a new prompt private unless it is told otherwise", async () => {
  expect(await create(client)).toMatchObject({ visibility: "private" });
});

test("has the accounts that a test makes", async () => {
  const { token } = await registry.createAccount("bob");
  expect((await create(createClient({ ...registry, token }))).ref).toBe("bob/greeting");
  await expect(registry.createAccount("Bob!")).rejects.toThrow('"Bob!" cannot be a handle');
  await expect(registry.revokeToken("prt_unknown")).rejects.toThrow("no such token");
});

test("does at once what is asked at once, each as a whole", async () => {
  await create(client);
  const commits = Array.from({ length: 10 }, (_, i) =>
    client.prompts.versions.create({ ...greeting, body: { files: files(`Hello ${i}`), labels: ["newest"] } }),
  );
  const numbers = (await Promise.all(commits)).map(({ n }) => n);
  expect(numbers.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const refused = { files: files("Never"), labels: ["newest", "draft"] };
  await expect(client.prompts.versions.create({ ...greeting, body: refused })).rejects.toThrow("reserved");
  expect(await client.prompts.get(greeting)).toMatchObject({ latestVersion: 11, labels: { newest: 11 } });
});

describe("its clock", () => {
  test("stands still where it is set, and is turned on from there", async () => {
    await registry.clock.set("2031-05-01T12:00:00Z");
    await registry.clock.advance(90_000);
    expect((await create(client)).createdAt).toBe("2031-05-01T12:01:30.000Z");
    await expect(registry.clock.set("noon")).rejects.toThrow(RangeError);
    await expect(registry.clock.advance(NaN)).rejects.toThrow(RangeError);
  });

  test("is not that of the process, which a test can turn besides", async () => {
    vi.useFakeTimers();
    try {
      vi.setSystemTime("2031-05-01");
      expect((await create(client)).createdAt).not.toContain("2031");
    } finally {
      vi.useRealTimers();
    }
  });
});

test("lets a test turn the time that a slow answer takes", async () => {
  vi.useFakeTimers();
  try {
    registry.fail({ delayMs: 60_000 });
    const me = registry.fetch(`${registry.baseUrl}/api/v1/me`);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await me).status).toBe(401);
  } finally {
    vi.useRealTimers();
  }
});

test("lets a script report runs, compare them with production, and move the label or not", async () => {
  await create(client);
  await client.prompts.labels.put({ ...greeting, name: "production", body: { versionNumber: 1 } });
  const prompt = "ada/greeting";
  await client.evals.datasets.create({ body: { prompt, name: "Basics" } });
  const gate = async (content: string, passed: number): Promise<string> => {
    const { n } = await client.prompts.versions.create({ ...greeting, body: { files: files(content) } });
    const body = { prompt, versionNumber: n, model: "gpt-5-mini", dataset: "Basics" } as const;
    const { id: b } = await client.evals.runs.create({ body });
    const results = Array.from({ length: 20 }, (_, index) => ({
      index,
      caseKey: `case-${index}`,
      status: index < passed ? ("passed" as const) : ("failed" as const),
    }));
    await client.evals.runs.appendResults({ id: b, body: { results } });
    await client.evals.runs.update({ id: b, body: { status: "completed", verdict: "pass" } });
    const { labels } = await client.prompts.get(greeting);
    const { items } = await client.evals.runs.list({ query: { prompt, version: labels["production"] ?? 1 } });
    const a = items[0]?.id;
    const outcome = a ? (await client.evals.compare({ query: { a, b } })).verdict?.outcome : "no_regression";
    if (outcome === "no_regression")
      await client.prompts.labels.put({ ...greeting, name: "production", body: { versionNumber: n } });
    return outcome ?? "none";
  };
  expect([await gate("First", 18), await gate("Worse", 9), await gate("Better", 19)]).toEqual([
    "no_regression",
    "regression",
    "no_regression",
  ]);
  expect((await client.prompts.get(greeting)).labels).toEqual({ production: 4 });
  const deliveries = await registry.deliveries();
  const ended = deliveries.filter(({ headers }) => headers.get("service-event") === "eval.run.completed");
  expect(ended).toHaveLength(3);
});

test("has what was made last first, also within a millisecond", async () => {
  await registry.clock.set("2031-05-01T12:00:00Z");
  await create(client);
  const body = { prompt: "ada/greeting", versionNumber: 1, model: "m" };
  for (let threshold = 0; threshold < 1; threshold += 0.25)
    await client.evals.runs.create({ body: { ...body, threshold } });
  const { items } = await client.evals.runs.list({ query: { prompt: "ada/greeting" } });
  expect(items.map(({ threshold }) => threshold)).toEqual([0.75, 0.5, 0.25, 0]);
});

test("runs under node:test, and keeps no process from ending", () => {
  const program = `
    import assert from "node:assert/strict";
    import { test } from "node:test";
    import { createClient } from "@promptreg/client";
    import { createTestRegistry } from "@promptreg/client/testing";
    test("a slow registry that nobody closes", async () => {
      const registry = createTestRegistry();
      registry.fail({ delayMs: 3_600_000 });
      const reply = createClient({ ...registry, timeoutMs: 1, retries: 0 }).prompt("ada/a", { fallback: "Hi" });
      assert.equal((await reply.compile()).text, "Hi");
    });`;
  const args = ["--conditions=@promptreg/source", "--input-type=module", "--eval", program];
  const options = { cwd: new URL("../../../../examples", import.meta.url), encoding: "utf8" } as const;
  expect(execFileSync(process.execPath, args, options)).toMatch(/pass 1/);
});

test("answers as before once it was healed", async () => {
  registry.fail({ cut: "before" });
  await expect(create(client)).rejects.toThrow("closed the connection before it answered");
  registry.heal();
  await create(client);
  registry.fail({ delayMs: 1 }, { on: "prompts.get", times: 1 });
  expect(await client.prompts.get(greeting)).toMatchObject({ title: "Greeting" });
  expect(registry.requests.map(({ operation, status }) => [operation, status])).toEqual([
    ["prompts.create", null],
    ["prompts.create", 201],
    ["prompts.get", 200],
  ]);
});
