import type * as http from "node:http";
import { checkUrl } from "../../kernel/reach/addresses.ts";
import { type Guard, openRequest, type Progress } from "../../kernel/reach/request.ts";
import { agents } from "./agents.ts";
import {
  type AttemptOutcome,
  answered,
  codeOf,
  type Ending,
  failed,
  failure,
  messageOf,
  timedOut,
} from "./outcome.ts";

/** One delivery, ready to go; Host and Content-Length are set by `send`. */
export interface AttemptRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** How to send; everything but the policy is for tests. */
export interface AttemptOptions extends Guard {
  /** For the whole attempt, from DNS to the last byte kept; 10,000 by default. */
  deadlineMs?: number;
  /** Must fit the protocol of the URL. */
  agent?: http.Agent;
}

/** How far an attempt has come. */
interface Attempt extends Progress {
  answer?: http.IncomingMessage;
  excerpt: Buffer;
}

/** Ends an exchange with what is known now. Only the first call counts. */
type Conclude = (error?: unknown) => void;

const deadlineMsByDefault = 10_000;
const maxExcerptBytes = 2_048;
const nothing = Buffer.alloc(0);

/** Makes one attempt to deliver a webhook by POST. Never throws: every failure is an outcome. */
export async function send(request: AttemptRequest, options: AttemptOptions): Promise<AttemptOutcome> {
  const startedAt = performance.now();
  const ending = await attempt(request, options, startedAt + (options.deadlineMs ?? deadlineMsByDefault));
  return { ...ending, responseTimeMs: Math.round(performance.now() - startedAt) };
}

async function attempt(request: AttemptRequest, options: AttemptOptions, endsAt: number): Promise<Ending> {
  const { url, problem } = checkUrl(request.url, options);
  if (problem !== undefined) return failure("refused_address", problem);
  try {
    for (;;) {
      const ending = await exchange(url, request, options, endsAt);
      if (ending !== "stale") return ending;
    }
  } catch (error) {
    return failure("protocol", `Cannot make the request: ${messageOf(error)}`);
  }
}

/**
 * Sends once and keeps the start of the answer. "stale": a kept-alive connection was closed before we used it, so the
 * caller retries. That ends, because a new connection is never stale.
 */
function exchange(
  url: URL,
  { headers, body }: AttemptRequest,
  options: AttemptOptions,
  endsAt: number,
): Promise<Ending | "stale"> {
  return new Promise((settle) => {
    const progress: Attempt = { stage: "connect", excerpt: nothing };
    // As a list: Node writes it straight out, and a delivery is a sixth cheaper.
    const sent = [
      ...Object.entries(headers).flat(),
      "host",
      url.host,
      "content-length",
      `${body.byteLength}`,
    ];
    const agent = options.agent ?? agents[url.protocol];
    const request = openRequest(url, { method: "POST", headers: sent, agent }, options, progress);
    // The first of these concludes: the end of the answer, enough of it, a failure, the deadline.
    const conclude: Conclude = (error) => {
      clearTimeout(deadline);
      progress.search?.abort();
      const { answer, excerpt, stage } = progress;
      if (answer) settle(answered(answer, excerpt));
      else if (request.reusedSocket && isConnectionLost(error)) settle("stale");
      else settle(failed(error, stage));
      // Only a connection on which both messages are complete may be used again.
      if (!answer?.complete || !request.writableFinished) request.destroy();
    };
    const deadline = setTimeout(() => conclude(timedOut(progress.stage)), endsAt - performance.now());
    readAnswer(request, progress, conclude);
    // Once an answer has begun, its own end concludes: bytes from before an error must still be read.
    request.on("error", (error) => progress.answer ?? conclude(error)).on("close", () => conclude());
    request.end(body);
  });
}

function readAnswer(request: http.ClientRequest, progress: Attempt, conclude: Conclude): void {
  request.on("response", (answer) => {
    progress.answer = answer;
    answer.on("data", (chunk: Buffer) => {
      progress.excerpt = Buffer.concat([
        progress.excerpt,
        chunk.subarray(0, maxExcerptBytes - progress.excerpt.length),
      ]);
      if (progress.excerpt.length === maxExcerptBytes) conclude();
    });
    answer.on("error", () => {}).on("close", () => conclude());
  });
  request.on("upgrade", (answer, socket) => {
    progress.answer = answer;
    socket.destroy();
    conclude();
  });
}

function isConnectionLost(error: unknown): boolean {
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}
