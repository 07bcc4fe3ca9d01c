import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type CommandLine, openCommandLine } from "../../test/commands.ts";

let commands: CommandLine;
let url: string;
let folder: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let seen: object[] = [];
const stub = createServer((request, response) => void answer(request, response));

const token = "a-bot.token_1";
const application = { DISCORD_APPLICATION_ID: "100000000000000001", DISCORD_PUBLIC_KEY: "ab".repeat(32) };

beforeAll(async () => {
  await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), "promptreg-discord-"));
});
beforeEach(() => {
  seen = [];
  commands = openCommandLine({ ...application, DISCORD_BOT_TOKEN: token, DISCORD_API_URL: `${url}/api/` });
});
afterEach(() => commands.close());
afterAll(async () => {
  stub.closeAllConnections();
  stub.close();
  await rm(folder, { recursive: true });
});

const answering = (status: number, text: string) => {
  answer = (_, response) => response.writeHead(status).end(text);
};
const fail = async (): Promise<string> => {
  const { code, stdout, stderr } = await commands.run("discord", "register");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).not.toContain(token);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr;
};

test("the commands are sent to Discord, with the token of a variable or of a file", async () => {
  answer = async (request, response) => {
    const body = (await json(request)) as object[];
    const { method, url: path, headers } = request;
    seen.push([method, path, headers.authorization, body.map((one) => (one as { name: string }).name)]);
    response.end(JSON.stringify(body.map((one, nth) => ({ ...one, id: String(nth) }))));
  };
  const { code, stderr } = await commands.run("discord", "register");
  expect([code, stderr]).toEqual([0, "Registered /search, /prompt, /link at Discord.\n"]);
  await writeFile(join(folder, "token"), `${token}\n`);
  vi.stubEnv("DISCORD_BOT_TOKEN", undefined);
  vi.stubEnv("DISCORD_BOT_TOKEN_FILE", join(folder, "token"));
  expect((await commands.run("discord", "register")).code).toBe(0);
  const request = [
    "PUT",
    "/api/applications/100000000000000001/commands",
    `Bot ${token}`,
    ["search", "prompt", "link"],
  ];
  expect(seen).toEqual([request, request]);
});

test.each([
  [401, "{}", "does not accept DISCORD_BOT_TOKEN (401)"],
  [403, "{}", "is not of the application DISCORD_APPLICATION_ID (403)"],
  [404, "", "is not of the application DISCORD_APPLICATION_ID (404)"],
  [429, '{"retry_after":60}', "Try again in some minutes"],
  [
    400,
    '{"message":"Invalid\u001b[31m Form"}',
    'refused the commands (400): {"message":"Invalid [31m Form"}',
  ],
  [500, "", "refused the commands (500)\n"],
  [200, "<html>", "did not answer with the commands"],
  [200, "[]", "did not answer with the commands"],
  [200, "[null,1]", "did not answer with the commands"],
  [200, `"${"x".repeat(300_000)}"`, "the answer is too long"],
])("an answer of %i %s says what to do", async (status, text, said) => {
  answering(status, text);
  expect(await fail()).toContain(said);
});

test("a redirect is not followed, since the token would follow it", async () => {
  answer = (request, response) => {
    seen.push({ url: request.url });
    response.writeHead(307, { location: `${url}/elsewhere` }).end();
  };
  expect(await fail()).toContain(`Cannot reach ${url}`);
  expect(seen).toHaveLength(1);
});

test("an answer that does not come or does not end is not waited for", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const over = new AbortController();
    setTimeout(() => over.abort(new DOMException("late", "TimeoutError")), 100);
    return over.signal;
  });
  try {
    answer = () => {};
    expect(await fail()).toContain("it did not answer within 10 seconds");
    answer = (_, response) => void response.writeHead(200).write("[");
    expect(await fail()).toContain("it did not answer within 10 seconds");
  } finally {
    timeout.mockRestore();
  }
});

test("a server that cannot be reached is named", async () => {
  vi.stubEnv("DISCORD_API_URL", "http://127.0.0.1:2");
  expect(await fail()).toMatch(/Cannot reach http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED/);
});

test.each([
  [{ DISCORD_APPLICATION_ID: undefined, DISCORD_PUBLIC_KEY: undefined }, "Set DISCORD_APPLICATION_ID and"],
  [{ DISCORD_BOT_TOKEN: undefined }, "needs DISCORD_BOT_TOKEN too, or DISCORD_BOT_TOKEN_FILE"],
  [{ DISCORD_BOT_TOKEN: "a token\nx" }, "must have a key, in one line"],
  [{ DISCORD_BOT_TOKEN: "a/token" }, "DISCORD_BOT_TOKEN is no token"],
  [{ DISCORD_API_URL: "http://discord.test/api" }, "DISCORD_API_URL must begin with https://"],
  [{ DISCORD_API_URL: "discord" }, "DISCORD_API_URL must begin with https://"],
])("nothing is sent with %j", async (environment, said) => {
  answering(200, "[]");
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { code, stderr } = await commands.run("discord", "register");
  expect([code, stderr.includes(said)]).toEqual([1, true]);
});
