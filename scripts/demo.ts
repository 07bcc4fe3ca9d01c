/** `npm run demo`: the main job, from an empty database to a verdict, through the real programs. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { createClient } from "@promptreg/client";
import { receiveSync, WebhookVerificationError } from "@promptreg/core/webhooks/node";
import { makeDatabase } from "./demo-database.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".promptreg/demo");
/** Where a prompt is worked on: not where git ignores it, since that would not go out. */
const work = mkdtempSync(join(tmpdir(), "demo-"));
const programs = {
  promptreg: join(root, "packages/cli/dist/main.js"),
  "promptreg-server": join(root, "packages/server/dist/main.js"),
};
const isFancy = process.stdout.isTTY && !process.env["NO_COLOR"];
const paint = (code: number, text: string) => (isFancy ? `\u001B[${code}m${text}\u001B[0m` : text);
/** Long lines are cut: what matters stands at their start. */
const indent = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `      ${line.length > 160 ? `${line.slice(0, 159)}…` : line}`)
    .join("\n");

/** What the programs below are told; the demo adds to it as it learns. */
const env: NodeJS.ProcessEnv = { ...process.env, PROMPTREG_DATA_DIR: join(folder, "data"), PORT: "0" };
let number = 0;

/** Does one thing, and says what it was, what came of it and how long it took. */
async function step<T>(title: string, act: (show: (text: string) => void) => Promise<T>): Promise<T> {
  const shown: string[] = [];
  const startedAt = performance.now();
  const result = await act((text) => shown.push(text));
  const took = paint(2, `${Math.round(performance.now() - startedAt)} ms`);
  number += 1;
  console.log(`\n  ${paint(32, "✓")} ${number}. ${paint(1, title)}  ${took}`);
  for (const text of shown.filter(Boolean)) console.log(indent(text));
  return result;
}

/** Runs one of our programs as people do, showing the command and what it prints. */
async function run(
  program: keyof typeof programs,
  args: string[],
  show?: (text: string) => void,
  exits = [0],
) {
  const shown = args.map((arg) => (/^[\w@./:,-]+$/.test(arg) ? arg : `'${arg}'`)).join(" ");
  show?.(paint(36, `$ ${program} ${shown}`));
  const result = await promisify(execFile)(process.execPath, [programs[program], ...args], {
    env,
    cwd: root,
  }).catch((error: { code?: unknown; stdout: string; stderr: string }) => error);
  const code = "code" in result ? Number(result.code) : 0;
  if (!exits.includes(code)) throw new Error(`${program} ${shown} ended with ${code}:\n${result.stderr}`);
  show?.(`${result.stderr}${result.stdout}`);
  return result.stdout.trim();
}

interface Delivery {
  body: Buffer;
  headers: IncomingHttpHeaders;
}

/** What is not signed with the secret is refused. It keeps what it got, and learns the secret after its address. */
async function startReceiver() {
  const deliveries: Delivery[] = [];
  const receiver = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  let secret = "";
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    try {
      receiveSync(body, request.headers["service-signature"], secret);
      deliveries.push({ body, headers: request.headers });
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? error.statusCode : 500).end();
    }
    receiver.emit("heard");
  };
  await once(receiver, "listening");
  return {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    trust: (given: string) => (secret = given),
    close: () => receiver.close(),
    async waitFor(text: string): Promise<Delivery> {
      for (;;) {
        const found = deliveries.find(({ body }) => body.includes(text));
        if (found) return found;
        await once(receiver, "heard", { signal: AbortSignal.timeout(20_000) });
      }
    },
  };
}

async function startServer(): Promise<{ url: string; server: ChildProcess; printed: string }> {
  const server = spawn(process.execPath, [programs["promptreg-server"], "serve"], {
    env,
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  server.stdout.on("data", (chunk) => (printed += String(chunk)));
  while (!printed.includes("ready in"))
    await once(server.stdout, "data", { signal: AbortSignal.timeout(60_000) });
  const url = /http:\/\/\S+?(?=,)/.exec(printed)?.[0];
  if (url === undefined) throw new Error(`the server did not start:\n${printed}`);
  return { url, server, printed };
}

const startedAt = performance.now();
let server: ChildProcess | undefined;
const receiver = await startReceiver();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const database = await makeDatabase(process.env["DATABASE_URL"]);
// Its receiver is on this machine, where webhooks may not go otherwise.
Object.assign(env, database.env, { PROMPTREG_UNSAFE_WEBHOOKS: "1" });

try {
  console.log(paint(1, "Promptreg, from an empty database to a verdict"));

  await step("A server, with a PostgreSQL", async (show) => {
    const started = await startServer();
    server = started.server;
    env["PROMPTREG_URL"] = started.url;
    show(started.printed);
  });

  await step("An account and a token", async (show) => {
    await run("promptreg-server", ["user", "add", "ada"], show);
    env["PROMPTREG_TOKEN"] = await run("promptreg-server", ["token", "create", "--user", "ada"]);
    show(paint(36, "$ export PROMPTREG_TOKEN=$(promptreg-server token create --user ada)"));
    await run("promptreg", ["whoami"], show);
  });
  const client = createClient({ baseUrl: env["PROMPTREG_URL"] ?? "", token: env["PROMPTREG_TOKEN"] ?? "" });

  await step("A webhook, for a receiver of our own", async (show) => {
    const { id, secret, secretHint } = await client.webhooks.create({
      body: { url: receiver.url, events: ["prompt.label.moved"] },
    });
    receiver.trust(secret ?? "");
    show(
      `await client.webhooks.create({ body: { url: "${receiver.url}", events: ["prompt.label.moved"] } })`,
    );
    show(`${id}, its secret ends with …${secretHint} and is not shown again`);
  });

  const prompt = join(work, "support-reply");
  cpSync(join(root, "examples/prompts/support-reply"), prompt, { recursive: true });
  await step("A prompt becomes version 1", (show) =>
    run("promptreg", ["push", prompt, "--label", "production"], show),
  );

  await step("An application fills it in", (show) => app(show));

  await step("A changed one becomes version 2", async (show) => {
    const path = join(prompt, "PROMPT.md");
    const changed = readFileSync(path, "utf8")
      .replace(
        "variables:\n",
        "variables:\n  - name: agent\n    description: Who signs.\n    default: the workshop\n",
      )
      .replace("\n\nThe message is", "\n- Sign as {{agent}}.\n\nThe message is");
    writeFileSync(path, changed);
    await run("promptreg", ["push", prompt, "--message", "Sign with a name"], show);
  });

  await step("What changed", (show) => run("promptreg", ["diff", "ada/support-reply", "1..2"], show));

  await step("production moves to version 2", (show) =>
    run(
      "promptreg",
      [
        "label",
        "move",
        "ada/support-reply",
        "production",
        "2",
        "--reason",
        "Customers ask who wrote",
        "--yes",
      ],
      show,
    ),
  );

  await step("The receiver hears of it, and believes only us", async (show) => {
    const moved = await receiver.waitFor('"versionNumber":2');
    show(`Service-Signature: ${String(moved.headers["service-signature"]).slice(0, 40)}…`);
    show(moved.body.toString());
    const tampered = Buffer.from(moved.body.toString().replace('"versionNumber":2', '"versionNumber":1'));
    const answer = await fetch(receiver.url, {
      method: "POST",
      headers: { "service-signature": String(moved.headers["service-signature"]) },
      body: tampered,
    });
    if (answer.status !== 400) throw new Error(`a tampered copy was answered ${answer.status}`);
    show(`the same with version 1 written into it: refused with ${answer.status}`);
  });

  await step("The application picks up the move", (show) => app(show));

  await step("Evals are reported, and give a verdict", (show) =>
    run(
      "promptreg",
      ["eval", "report", "examples/evals/results.json", "--prompt", "ada/support-reply@production"],
      show,
    ),
  );

  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`
${paint(1, `That was the main job, in ${seconds} s.`)} What to try next:
  npm start                            a server that keeps its data in .promptreg/
  npm run -s server -- user add you    an account on it
  npm run -s cli -- --help             the command line
  examples/                            prompts, an application, a receiver, to copy`);
} finally {
  receiver.close();
  if (server?.exitCode === null) {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
  await database.drop();
  for (const place of [folder, work]) rmSync(place, { recursive: true, force: true });
  if (readdirSync(dirname(folder)).length === 0) rmdirSync(dirname(folder));
}

/** The example application, as a process of its own. */
async function app(show: (text: string) => void): Promise<void> {
  const args = ["examples/app/main.ts", "ada/support-reply@production"];
  show(paint(36, `$ node ${args.join(" ")}`));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, cwd: root });
  show(`${stderr}${stdout}`);
}
