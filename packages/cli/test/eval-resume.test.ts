import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { writePromptfoo } from "./promptfoo.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const client = createClient(registry);
const home = await makeHome();
/** Processes cannot reach what runs in ours: this passes their requests on, and counts those that bring results. */
const server = createServer((request, response) => void passOn(request, response));
let batches: number[] = [];
/** Called when the registry has a batch. The reporter hears of it afterwards. */
let onBatch: (count: number) => Promise<unknown> | undefined = () => undefined;

async function passOn(request: IncomingMessage, response: ServerResponse) {
  const body = request.method === "GET" ? undefined : await buffer(request);
  const headers = Object.entries(request.headers).filter(([name]) => !["host", "connection"].includes(name));
  const answer = await registry.fetch(`${registry.baseUrl}${request.url}`, {
    method: request.method ?? "GET",
    headers: headers as [string, string][],
    ...(body && { body: new Uint8Array(body) }),
  });
  if (request.url?.endsWith("/results")) {
    batches.push(JSON.parse(String(body)).results.length);
    await onBatch(batches.length);
  }
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

const main = join(import.meta.dirname, "../dist/main.js");
const file = `${home.place()}.jsonl`;
const results = (count: number, change?: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      caseKey: `case-${index}`,
      status: index % 10 === 0 ? "failed" : "passed",
      output: index === change ? "other" : "text",
    }),
  ).join("\n");

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const files = [{ path: "PROMPT.md", content: "One." }];
  await client.prompts.create({ body: { kind: "text", slug: "reply", title: "Reply", files } });
});
beforeEach(() => {
  batches = [];
  onBatch = () => undefined;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await registry.close();
});

function start(externalId: string) {
  const args = [
    "eval",
    "report",
    file,
    "--prompt",
    "ada/reply@1",
    "--model",
    "m",
    "--threshold",
    "0.5",
    "--json",
  ];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, PROMPTREG_URL: url, PROMPTREG_TOKEN: registry.token, GITHUB_ACTIONS: "" };
  return spawn(process.execPath, [main, ...args, "--external-id", externalId], { env, stdio: "pipe" });
}

/** Reports until the registry has so many batches, and ends the reporter by a signal before it hears of the last. */
async function breakOff(externalId: string, count: number, signal: NodeJS.Signals): Promise<string> {
  const child = start(externalId);
  let stderr = "";
  child.stderr.on("data", (text) => void (stderr += text));
  const closed = once(child, "close");
  onBatch = (sent) => {
    if (sent !== count) return undefined;
    child.kill(signal);
    return closed;
  };
  await closed;
  expect(batches).toHaveLength(count);
  batches = [];
  onBatch = () => undefined;
  return stderr;
}

async function report(externalId: string) {
  const child = start(externalId);
  const [output] = await Promise.all([buffer(child.stdout), once(child, "close")]);
  return { exitCode: child.exitCode, ...JSON.parse(String(output)) };
}

describe("a report that was killed", () => {
  test("goes on after the batch that the registry got last", { tags: "long" }, async () => {
    await writeFile(file, results(5_500));
    await breakOff("killed", 3, "SIGKILL");
    const { exitCode, run } = await report("killed");
    expect(batches).toEqual([1_000, 1_000, 1_000, 500]);
    expect(run).toMatchObject({ status: "completed", summary: { total: 5_500, failed: 550, passed: 4_950 } });
    expect(exitCode).toBe(0);
  });

  test("begins at the start if its file changed since", { tags: "long" }, async () => {
    await writeFile(file, results(3_000));
    await breakOff("changed", 2, "SIGKILL");
    await writeFile(file, results(3_000, 1_500));
    const { run } = await report("changed");
    expect(batches).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(run.summary).toMatchObject({ total: 3_000, failed: 300 });
  });

  test("begins at the start if another file was cut otherwise, and keeps what only that one had", {
    tags: "long",
  }, async () => {
    await writeFile(file, results(1_500));
    await breakOff("shorter", 2, "SIGKILL");
    await writeFile(file, results(1_200));
    const { run } = await report("shorter");
    expect(batches).toEqual([1_000, 200]);
    expect(run.summary).toMatchObject({ total: 1_500 });
  });

  test("by Ctrl-C says how far it came, and how to go on", { tags: "long" }, async () => {
    await writeFile(file, results(4_000));
    const stderr = await breakOff("stopped", 2, "SIGINT");
    expect(stderr).toMatch(
      /The run run_\w+ is unfinished: 1000 of 4000 results reported\. Run the same command again to go on\./,
    );
    expect((await report("stopped")).run.summary).toMatchObject({ total: 4_000 });
    expect(batches).toEqual([1_000, 1_000, 1_000]);
  });

  test("is complete when it is reported once more: nothing is sent", { tags: "long" }, async () => {
    await writeFile(file, results(2_000));
    const { run } = await report("whole");
    batches = [];
    expect((await report("whole")).run).toEqual(run);
    expect(batches).toEqual([]);
  });
});

test("a large file of promptfoo is reported whole, in batches, with the name of its tool", {
  tags: "long",
}, async () => {
  await writePromptfoo(file, 2_500);
  const { run } = await report("promptfoo");
  expect(batches).toEqual([1_000, 1_000, 500]);
  expect(run).toMatchObject({
    source: { tool: "promptfoo" },
    summary: { total: 2_500, passed: 2_375, failed: 125, inputTokens: 50_000 },
  });
});

test("an external id that belongs to a run of something else takes no results", {
  tags: "long",
}, async () => {
  await writeFile(file, results(10));
  await report("mine");
  const args = [
    "eval",
    "report",
    file,
    "--prompt",
    "ada/reply@1",
    "--external-id",
    "mine",
    "--model",
    "other",
  ];
  expect(await registry.cli(args)).toMatchObject({
    exitCode: 6,
    stderr: expect.stringMatching(
      /belongs to the run run_\w+, which is of another version, model or dataset/,
    ),
  });
});

test("the built program reads XML too", async () => {
  await writeFile(file, '<testsuite name="s"><testcase name="one"/><testcase name="two"/></testsuite>');
  expect((await report("xml")).run.summary).toMatchObject({ total: 2, passed: 2 });
});
