import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { type AddressPolicy, checkWebhookUrl, hostOf, isAllowedAddress } from "./addresses.ts";
import { agents } from "./agents.ts";
import {
  AttemptError,
  type AttemptOutcome,
  answered,
  codeOf,
  type Ending,
  failed,
  failure,
  messageOf,
  type Stage,
  timedOut,
} from "./outcome.ts";
import { type Resolve, resolveAllowed } from "./resolve.ts";

/** One delivery, ready to go; Host and Content-Length are set by `send`. */
export interface AttemptRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** How to send; everything but the policy is for tests. */
export interface AttemptOptions extends AddressPolicy {
  /** For the whole attempt, from DNS to the last byte kept; 10,000 by default. */
  deadlineMs?: number;
  resolve?: Resolve;
  /** Must fit the protocol of the URL. */
  agent?: http.Agent;
}

/** How far an attempt has come. */
interface Progress {
  stage: Stage;
  /** Cancels the DNS lookup. */
  search?: AbortController;
  answer?: http.IncomingMessage;
  excerpt: Buffer;
}

/** Ends an exchange with what is known now. Only the first call counts. */
type Conclude = (error?: unknown) => void;

const deadlineMsByDefault = 10_000;
const maxExcerptBytes = 2_048;
const nothing = Buffer.alloc(0);
/** A flood of 1xx would keep this process busy until the deadline. Normal servers send one or two. */
const maxInterimAnswers = 1_000;

/** Explicit, so that neither flags nor the environment of Node can change them. */
const connectOptions = {
  rejectUnauthorized: true,
  minVersion: "TLSv1.2",
  insecureHTTPParser: false,
  maxHeaderSize: 16_384,
  autoSelectFamily: true,
  // Node's own 250 ms would give up on a far IPv4 address and fail where there is no route for IPv6.
  autoSelectFamilyAttemptTimeout: 2_500,
} as const;

/** Makes one attempt to deliver a webhook by POST. Never throws: every failure is an outcome. */
export async function send(request: AttemptRequest, options: AttemptOptions): Promise<AttemptOutcome> {
  const startedAt = performance.now();
  const ending = await attempt(request, options, startedAt + (options.deadlineMs ?? deadlineMsByDefault));
  return { ...ending, responseTimeMs: Math.round(performance.now() - startedAt) };
}

async function attempt(request: AttemptRequest, options: AttemptOptions, endsAt: number): Promise<Ending> {
  const { url, problem } = checkWebhookUrl(request.url, options);
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
    const progress: Progress = { stage: "connect", excerpt: nothing };
    const request = (url.protocol === "https:" ? https : http).request({
      ...connectOptions,
      protocol: url.protocol,
      hostname: hostOf(url),
      port: url.port,
      path: url.pathname + url.search,
      method: "POST",
      // As a list: Node writes it straight out, and a delivery is a sixth cheaper.
      headers: [...Object.entries(headers).flat(), "host", url.host, "content-length", `${body.byteLength}`],
      agent: options.agent ?? agents[url.protocol],
      lookup: (name, _, callback) => findAddresses(name, options, progress, callback),
    });
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
    request.on("socket", (socket) => followSocket(socket, request, options, progress));
    readAnswer(request, progress, conclude);
    // Once an answer has begun, its own end concludes: bytes from before an error must still be read.
    request.on("error", (error) => progress.answer ?? conclude(error)).on("close", () => conclude());
    request.end(body);
  });
}

function readAnswer(request: http.ClientRequest, progress: Progress, conclude: Conclude): void {
  let interimAnswers = 0;
  request.on("information", () => {
    interimAnswers += 1;
    if (interimAnswers > maxInterimAnswers) {
      conclude(
        new AttemptError(
          "protocol",
          `The endpoint sent more than ${maxInterimAnswers} interim answers (1xx).`,
        ),
      );
    }
  });
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

/** Gives a new connection only addresses that were checked. IP literals never get here. */
function findAddresses(
  hostname: string,
  options: AttemptOptions,
  progress: Progress,
  callback: Parameters<LookupFunction>[2],
): void {
  progress.stage = "dns";
  const { signal } = (progress.search = new AbortController());
  resolveAllowed(hostname, { ...options, signal }).then(
    (addresses) => {
      progress.stage = "connect";
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
    (error) => callback(error, []),
  );
}

/** Tracks the stage of a new connection, and checks the address of every connection against the policy. */
function followSocket(
  socket: Socket,
  request: http.ClientRequest,
  policy: AddressPolicy,
  progress: Progress,
): void {
  const checkAddress = () => {
    const address = socket.remoteAddress;
    if (address === undefined || isAllowedAddress(address, policy)) return;
    request.destroy(new AttemptError("refused_address", "The connection leads to a private address."));
  };
  if (request.reusedSocket) {
    progress.stage = "answer";
    checkAddress();
    return;
  }
  socket.once("connect", () => {
    progress.stage = "encrypted" in socket ? "tls" : "answer";
    checkAddress();
  });
  socket.once("secureConnect", () => {
    progress.stage = "answer";
  });
}

function isConnectionLost(error: unknown): boolean {
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}
