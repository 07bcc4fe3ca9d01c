import { mkdtempSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { checkFiles, contentHash } from "@promptreg/core/content";
import { run } from "../src/run.ts";

export const token = "prt_a-token-for-tests";

/** One request as the registry saw it. */
export interface Seen {
  method: string;
  path: string;
  body: unknown;
}
/** What is answered: a status, and JSON or text. */
export type Answer = { status?: number; json?: unknown; text?: string };

/** An HTTP server that answers as a test says; everything else is not found, as in a registry. */
export async function startRegistry() {
  const answers = new Map<string, (seen: Seen) => Answer>();
  const seen: Seen[] = [];
  const server = createServer((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const { method = "", url = "", headers } = request;
    const path = url.replace(/^\/api\/v1/, "");
    const body = headers["content-type"] === "application/json" ? await json(request) : undefined;
    const one = { method, path, body };
    seen.push(one);
    const answer = answers.get(`${method} ${path}`)?.(one) ?? refusal(404, "not_found");
    const type = answer.text === undefined ? "application/json" : "text/plain; charset=utf-8";
    response.writeHead(answer.status ?? 200, { "content-type": type, "x-request-id": "req-12345678" });
    response.end(answer.text ?? JSON.stringify(answer.json));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    /** Answers a method and path, query included, from now on. */
    answer: (route: string, give: Answer | ((seen: Seen) => Answer)) =>
      void answers.set(route, typeof give === "function" ? give : () => give),
    reset: () => {
      answers.clear();
      seen.length = 0;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
    /** Runs a command line against this registry. */
    cli: (args: readonly string[], around: Around = {}) =>
      cli(args, { ...around, env: { PROMPTREG_URL: url, PROMPTREG_TOKEN: token, ...around.env } }),
  };
}

/** A version with one file, as a registry sends it. */
export async function versionWith(content: string, path = "PROMPT.md"): Promise<Answer> {
  const sent = [{ path, content, encoding: "utf8" as const, mode: "100644" as const }];
  const { files } = await checkFiles(sent);
  const version = { n: 1, entry: path, files: sent, contentHash: await contentHash(files) };
  return { json: { ref: "ada/reply", version } };
}

export const refusal = (status: number, code: string, details?: unknown): Answer => ({
  status,
  json: { error: { code, message: `Refused with ${code}.`, details, requestId: "req-12345678" } },
});

export interface Around {
  env?: Record<string, string>;
  stdin?: string;
  isTTY?: boolean;
  /** How wide the terminal is. */
  columns?: number;
  fetch?: typeof fetch;
  /** What is answered to each question, in turn; without it nobody can be asked. */
  answers?: (boolean | string)[];
  /** Which of several are chosen; without it all. */
  choice?: number[];
  /** Answers a question of yes or no, after something else happened. */
  confirm?: (question: string) => Promise<boolean>;
  interrupt?: AbortSignal;
  /** Where its output goes, for those who look while it runs. */
  written?: { stdout: string; stderr: string };
  /** How long the server may be silent. */
  timeoutMs?: number;
}

/** Nobody's own profiles may have a say in tests. */
const emptyHome = mkdtempSync(join(tmpdir(), "promptreg-cli-"));

/** Runs a command line in this process, and gives what a shell would see of it, and what it asked. */
export async function cli(
  args: readonly string[],
  {
    env = {},
    stdin = "",
    isTTY = false,
    columns,
    fetch,
    answers,
    confirm,
    choice,
    interrupt,
    timeoutMs,
    written = { stdout: "", stderr: "" },
  }: Around = {},
) {
  const asked: string[] = [];
  const decoder = new TextDecoder();
  const stream = (name: keyof typeof written) => ({
    isTTY,
    columns,
    write: (chunk: string | Uint8Array) => {
      written[name] += typeof chunk === "string" ? chunk : decoder.decode(chunk);
    },
  });
  const answer = async (question: string) => {
    asked.push(question);
    return answers?.shift() as never;
  };
  async function* input() {
    yield new TextEncoder().encode(stdin);
  }
  const exitCode = await run(args, {
    env: { XDG_CONFIG_HOME: emptyHome, ...env },
    stdin: input(),
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    fetch,
    timeoutMs,
    ask: (answers || confirm || choice) && {
      confirm: confirm ?? answer,
      text: answer,
      secret: answer,
      choose: async (question, options) => {
        asked.push(question);
        return choice ?? [...options.keys()];
      },
    },
    holdInterrupts: interrupt && (() => interrupt),
  });
  return { ...written, exitCode, asked };
}
