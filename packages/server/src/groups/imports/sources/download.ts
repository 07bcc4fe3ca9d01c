import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { Agent } from "node:https";
import { pipeline } from "node:stream/promises";
import { checkUrl } from "../../../kernel/reach/addresses.ts";
import { type Guard, openRequest, type Progress } from "../../../kernel/reach/request.ts";
import { type Gathering, SourceError } from "./index.ts";

/** A file on the web. */
export interface Remote {
  url: string;
  /** What it is called in sentences. */
  name: string;
  maxBytes: number;
  /** Where it is put. */
  file: string;
}

/** How to reach the web; for tests. */
export interface Web {
  resolve?: Guard["resolve"];
  agent?: Agent;
  patienceMs?: number;
}

const maxRedirects = 3;
/** Nothing may have come until then. Afterwards so much must have come on average: nobody keeps a worker busy with drops. */
const patience = { ms: 10_000, bytesPerMs: 256 };

/**
 * Downloads a file, by the same rules as webhooks: https, to public addresses only, each redirect anew. Nothing is sent but the name of
 * this service. Returns false if nothing is there.
 * @throws {SourceError} if it is not public, no file, too large or too slow; the signal's reason, once it aborts.
 */
export async function download(
  remote: Remote,
  { server, signal }: Pick<Gathering, "server" | "signal">,
  { patienceMs = patience.ms, ...web }: Web = {},
): Promise<boolean> {
  const slow = new AbortController();
  const startedAt = performance.now();
  let size = 0;
  const clock = setInterval(() => {
    if (performance.now() - startedAt > patienceMs + size / patience.bytesPerMs) slow.abort();
  }, patienceMs / 20);
  const ending = AbortSignal.any([signal, slow.signal]);
  const ask = (url: URL) => answerOf(url, { server, signal: ending, web });
  try {
    const answer = await follow(remote.url, ask, { allowUnsafe: server.allowUnsafeWebhooks });
    try {
      if (answer.statusCode === 404 || answer.statusCode === 410) return false;
      checkAnswer(answer, remote);
      const content = contentOf(answer, remote, (bytes) => (size = bytes));
      await pipeline(content, createWriteStream(remote.file, { mode: 0o600 }), { signal: ending });
      return true;
    } finally {
      answer.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (slow.signal.aborted) throw new SourceError(`${remote.name} takes too long to arrive.`);
    throw error;
  } finally {
    clearInterval(clock);
  }
}

/** The answer to a URL, or to where it redirects. */
async function follow(
  start: string,
  ask: (url: URL) => Promise<IncomingMessage>,
  policy: Pick<Guard, "allowUnsafe">,
): Promise<IncomingMessage> {
  let text = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    // In development too plain http is for webhooks alone: strictly checked, it never passes.
    const allowUnsafe = policy.allowUnsafe && text.startsWith("https:");
    const { url, problem } = checkUrl(text, { allowUnsafe });
    if (problem !== undefined)
      throw new SourceError(
        redirects === 0 ? problem : `It redirects to where nothing is fetched: ${problem}`,
      );
    const answer = await ask(url);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) || location === undefined) return answer;
    answer.destroy();
    const next = URL.parse(location, url.href);
    if (next === null) throw new SourceError(`${url.hostname} redirects to no address.`);
    next.hash = "";
    text = next.href;
  }
  throw new SourceError(`${new URL(start).hostname} redirects more than ${maxRedirects} times.`);
}

async function answerOf(
  url: URL,
  { server, signal, web }: { server: Gathering["server"]; signal: AbortSignal; web: Web },
): Promise<IncomingMessage> {
  const headers = {
    host: url.host,
    "user-agent": `Service-Imports/1.0 (+${server.publicUrl})`,
    accept: "*/*",
    // What was packed for the way could unpack to anything.
    "accept-encoding": "identity",
  };
  const progress: Progress = { stage: "connect" };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Without an agent of its own it would share connections and settings with whatever else this process does.
  const request = openRequest(
    url,
    { method: "GET", headers, agent: web.agent ?? false, signal },
    { allowUnsafe: server.allowUnsafeWebhooks, ...(web.resolve && { resolve: web.resolve }) },
    progress,
  );
  request.on("response", resolve).on("error", reject);
  request.on("close", () => reject(new Error("the connection was closed")));
  try {
    request.end();
    return await promise;
  } catch (error) {
    throw new SourceError(`${url.hostname} cannot be reached: ${sentenceOf(error)}`);
  } finally {
    progress.search?.abort();
  }
}

/** Errors of TLS and of the parser have what strangers sent. */
const sentenceOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  const text = (message || code || "no connection").replace(/[^\x20-\x7e]+/g, " ").slice(0, 200);
  return text.endsWith(".") ? text : `${text}.`;
};

function checkAnswer(
  { statusCode, headers }: IncomingMessage,
  { name, maxBytes }: Pick<Remote, "name" | "maxBytes">,
): void {
  if (statusCode === 401 || statusCode === 403) throw new SourceError(`${name} is not public.`);
  if (statusCode !== 200) throw new SourceError(`${name} was answered with ${statusCode}.`);
  if (/^\s*(?:text\/html|application\/xhtml)/i.test(headers["content-type"] ?? ""))
    throw new SourceError(`${name} is a web page, or not public. Give the address of the file itself.`);
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? ""))
    throw new SourceError(`${name} comes packed for the way, which is not read. Download it, and upload it.`);
  if (Number(headers["content-length"]) > maxBytes) throw tooLarge(name, maxBytes);
}

const tooLarge = (name: string, maxBytes: number) =>
  new SourceError(`${name} is larger than ${maxBytes / 1024 / 1024} MiB.`);

/** The bytes of an answer. Its own word about their number is not taken. */
async function* contentOf(
  answer: IncomingMessage,
  { name, maxBytes }: Pick<Remote, "name" | "maxBytes">,
  onSize: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(name, maxBytes);
      onSize(size);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof SourceError ? error : new SourceError(`${name} broke off after ${size} bytes.`);
  }
}
