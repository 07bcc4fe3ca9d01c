import { mkdir, readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@promptreg/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";
import { cli } from "./registry.ts";

const registry = await startReal();
const home = await makeHome();
const timeoutMs = 600;

/** What the line between the registry and the command does with an answer. */
type Line = (response: ServerResponse, answer: Uint8Array) => unknown;
const whole: Line = (response, answer) => response.end(answer);
const silent: Line = () => undefined;
const stalling: Line = (response, answer) => response.write(answer.subarray(0, 1));
const breaking: Line = (response, answer) => {
  response.write(answer.subarray(0, 1));
  setTimeout(() => response.destroy(), 20);
};
/** Takes longer than the command would wait for a byte. */
const slow: Line = async (response, answer) => {
  const size = Math.ceil(answer.length / 12);
  for (let at = 0; at < answer.length; at += size) {
    response.write(answer.subarray(at, at + size));
    await delay(80);
  }
  response.end();
};

/** By method: the line of its answers. */
const lines = new Map<string, Line>();
const asked: string[] = [];
async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url = "", headers } = request;
  asked.push(`${method} ${url}`);
  const body = await buffer(request);
  const { authorization = "", "content-type": type = "" } = headers;
  const answer = await registry.fetch(`${registry.baseUrl}${url}`, {
    method,
    headers: { authorization, ...(type && { "content-type": type }) },
    ...(body.length > 0 && { body }),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  await (lines.get(method) ?? whole)(response, new Uint8Array(await answer.arrayBuffer()));
}
const server = createServer((request, response) => void pass(request, response).catch(() => undefined));
let origin = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const files = [{ path: "PROMPT.md", content: "Hello {{name}}" }];
  const body = { kind: "text", slug: "reply", title: "Reply", visibility: "public", files } as const;
  await createClient(registry).prompts.create({ body });
});
afterEach(() => {
  lines.clear();
  asked.length = 0;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await registry.close();
});

/** Runs a command over the line, as somebody. */
const run = (args: readonly string[], as = registry.token) =>
  cli(args, { timeoutMs, env: { PROMPTREG_URL: origin, PROMPTREG_TOKEN: as, DO_NOT_TRACK: "1" } });
async function folder(): Promise<string> {
  const made = home.place();
  await mkdir(made);
  return made;
}

describe("a slow connection", () => {
  test("is waited for as long as bytes arrive", { tags: "long" }, async () => {
    lines.set("GET", slow);
    const project = await folder();
    const installed = await run(["install", "ada/reply", "--for", "agents", "--project", project, "--yes"]);
    expect(installed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("installed for agents") });
    const file = join(project, "reply.json");
    expect(
      await run(["download", "ada/reply", "--format", "openai-messages", "--unwrap", "-o", file]),
    ).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(await readFile(file, "utf8"))).toHaveProperty("messages");
  });
});

describe("a server that is silent", () => {
  test.each([
    ["search", ["search", "reply"]],
    ["install", ["install", "ada/reply", "--for", "agents", "--yes"]],
    ["download", ["download", "ada/reply", "-o", "x.zip"]],
  ])("ends %s after one wait, in the same words", { tags: "long" }, async (_, args) => {
    lines.set("GET", silent);
    expect(await run(args)).toMatchObject({
      exitCode: 7,
      stderr: `error: ${origin} did not answer within 0.6 seconds. Try again.\n`,
    });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["search", ["search", "reply"]],
    ["install", ["install", "ada/reply", "--for", "agents", "--yes"]],
  ])("in the middle of its answer ends %s too", { tags: "long" }, async (_, args) => {
    lines.set("GET", stalling);
    expect(await run(args)).toMatchObject({
      exitCode: 7,
      stderr: `error: ${origin} stopped in the middle of its response, and sent nothing for 0.6 seconds. Try again.\n`,
    });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["falls silent", stalling, "sent nothing for 0.6 seconds"],
    ["breaks off", breaking, "broke off before the response was complete"],
  ])("a download that %s leaves no file", async (_, line, sentence) => {
    lines.set("GET", line);
    const place = await folder();
    const ended = await run(["download", "ada/reply", "-o", join(place, "r.zip")]);
    expect(ended).toMatchObject({ exitCode: 7, stderr: expect.stringContaining(sentence) });
    expect(ended.stderr).not.toContain("--url");
    expect(await readdir(place)).toEqual([]);
  });
});

describe("a change whose answer is lost", () => {
  const lost = "The change may have been made. Look before you try again.";

  test.each([
    ["falls silent", stalling],
    ["breaks off", breaking],
    ["never comes", silent],
  ])("because it %s is told as what it is: a fork", async (what, line) => {
    const { token } = await registry.createAccount("bob");
    const slug = what.replace(" ", "-");
    lines.set("POST", line);
    expect(await run(["fork", "ada/reply", "--slug", slug], token)).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining(`${lost} \`promptreg list\` shows it.`),
    });
    lines.clear();
    expect((await run(["list"], token)).stdout).toContain(`bob/${slug}`);
  });

  test("a push", async () => {
    const place = await home.prompt(home.place(), "pushed");
    lines.set("POST", breaking);
    expect(await run(["push", place, "--yes"])).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining(`${lost} \`promptreg status ${place}\` shows it.`),
    });
    lines.clear();
    expect(await run(["push", place, "--yes"])).toMatchObject({ exitCode: 0 });
  });

  test("a merge", async () => {
    const { token } = await registry.createAccount("eve");
    const eve = createClient({ ...registry, token });
    await eve.prompts.forks.create({ owner: "ada", slug: "reply", body: { slug: "better" } });
    const files = [{ path: "PROMPT.md", content: "Dear {{name}}" }];
    await eve.prompts.versions.create({
      owner: "eve",
      slug: "better",
      body: { files, message: "Dear" },
    });
    const made = await eve.changeRequests.create({
      owner: "ada",
      slug: "reply",
      body: { source: { ref: "eve/better" }, title: "Dear" },
    });
    const n = String(made?.n);
    const show = ["change-request", "show", "ada/reply", n];
    lines.set("POST", breaking);
    const merged = await run(["change-request", "merge", "ada/reply", n, "--yes"]);
    expect(merged).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining(`${lost} \`promptreg ${show.join(" ")}\` shows it.`),
    });
    lines.clear();
    expect((await run(show)).stdout).toContain("merged");
  });
});
