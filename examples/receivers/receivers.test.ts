import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { exampleEnvelope } from "@promptreg/core";
import { receiveSync, signSync } from "@promptreg/core/webhooks/node";
import express from "express";
import { fastify } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const secret = "whsec_Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHNlY3JldCE";
const formerSecret = "whsec_dGhlIG9uZSBiZWZvcmUsIGZvciB0ZXN0cyBvbmx5";
const serveFetch = `
  import { serve } from "@hono/node-server";
  import { POST } from "./receivers/fetch.ts";
  serve({ fetch: POST, port: 0 }, ({ port }) => console.log("Listening on port " + port));`;

let count = 0;
/** A new delivery, in a spelling that no JSON library would print again. */
const newDelivery = () => {
  const id = `evt_${String((count += 1)).padStart(26, "0")}`;
  const body = JSON.stringify({ ...exampleEnvelope("prompt.label.moved"), id }, null, "\t");
  return { id, body: `${body.replace('"production"', '"pr\\u006fduction"')}\n` };
};
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
const send = (url: string, body: string, signature = signSync(body, secret)) =>
  post(url, body, { "service-signature": signature });

const cwd = new URL("..", import.meta.url).pathname;
const goProgram = join(mkdtempSync(join(tmpdir(), "promptreg-receiver-")), "receiver");
afterAll(() => rmSync(dirname(goProgram), { recursive: true }));

const onNode = (...args: string[]) => [process.execPath, "--conditions=@promptreg/source", ...args];
const programs: [name: string, command: string[]][] = [
  ...["node", "hono", "express", "fastify"].map((name): [string, string[]] => [
    name,
    onNode(`receivers/${name}.ts`),
  ]),
  ["fetch", onNode("--input-type=module", "--eval", serveFetch)],
  ["python3", ["python3", "receivers/receiver.py"]],
  ["go", [goProgram]],
];
describe.each(programs)("the receiver %s", (name, [command = "", ...args]) => {
  const isAbsent = /^(python3|go)$/.test(name) && spawnSync(name, { input: "" }).error !== undefined;
  let child: ChildProcess;
  let url: string;
  let said = "";
  const timesHandled = (id: string) => said.split(`${id}: alice/pr-review production`).length - 1;

  beforeAll(async () => {
    if (isAbsent) return;
    if (name === "go") execFileSync("go", ["build", "-o", goProgram, "receivers/receiver.go"], { cwd });
    const { PATH } = process.env;
    child = spawn(command, args, {
      cwd,
      env: { PATH, PORT: "0", WEBHOOK_SECRET: `${secret},${formerSecret}`, NODE_ENV: "production" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
    const ended = once(child, "exit").then(() => Promise.reject(new Error(`it ended: ${said}`)));
    while (!/Listening on port \d+/.test(said)) {
      await Promise.race([child.stdout && once(child.stdout, "data"), ended]);
    }
    ended.catch(() => {});
    url = `http://localhost:${/Listening on port (\d+)/.exec(said)?.[1]}/hook`;
  });
  beforeEach(({ skip }) => skip(isAbsent, `This machine has no ${name}.`));
  afterAll(async () => {
    if (isAbsent || child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });

  test("handles a signed request once, by its raw bytes, and returns 204 to duplicates", async () => {
    const { id, body } = newDelivery();
    expect((await send(url, body)).status).toBe(204);
    // Signed again, as each attempt and each redelivery is.
    const later = signSync(body, secret, { now: Date.now() + 60_000 });
    expect((await send(url, body, later)).status).toBe(204);
    expect(timesHandled(id)).toBe(1);
  });

  test("accepts both secrets during a rotation", async () => {
    const { body } = newDelivery();
    expect((await send(url, body, signSync(body, formerSecret))).status).toBe(204);
  });

  test("refuses requests with 400 that were changed, are old, are signed by others or not signed", async () => {
    const { id, body } = newDelivery();
    const signature = signSync(body, secret);
    const answers = [
      await send(url, body.replace("12", "13"), signature),
      await send(url, JSON.stringify(JSON.parse(body)), signature),
      await send(url, body, signSync(body, secret, { now: Date.now() - 302_000 })),
      await send(url, body, signSync(body, `${secret}x`)),
      await send(url, body, "nonsense"),
      await post(url, body),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
    expect(timesHandled(id)).toBe(0);
  });

  test("returns 2xx to an unknown event", async () => {
    const body = JSON.stringify({ ...exampleEnvelope("ping"), id: "evt_new", event: "prompt.forked" });
    expect((await send(url, body)).status).toBe(204);
  });
});

describe("if the body was parsed before it was verified, the error says so:", () => {
  const told = "The body is [object Object], not bytes: was it parsed?";
  const { body } = newDelivery();

  test("behind express.json()", async () => {
    const app = express();
    const errors: Error[] = [];
    app.use(express.json());
    app.post("/hook", express.raw({ type: () => true }), (request) => {
      receiveSync(request.body, request.get("service-signature"), secret);
    });
    app.use((error: Error, _request: unknown, _response: unknown, next: (error: Error) => void) => {
      errors.push(error);
      next(error);
    });
    app.set("env", "test"); // silences its own log
    const server = app.listen(0);
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    expect((await send(`http://localhost:${port}/hook`, body)).status).toBe(500);
    expect(errors.map(({ message }) => message)).toEqual([told]);
    server.close();
  });

  test("behind Fastify's own parser", async () => {
    const app = fastify();
    app.post("/hook", async (request) => {
      receiveSync(request.body as never, request.headers["service-signature"], secret);
    });
    const answer = await send(`${await app.listen({ port: 0 })}/hook`, body);
    expect([answer.status, await answer.json()]).toMatchObject([500, { message: told }]);
    await app.close();
  });
});
