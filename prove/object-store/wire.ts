import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { listen } from "../runtimes/listen.ts";

/** A request on its way to the store. */
export interface Passing {
  method: string;
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: AsyncIterable<Buffer>;
}

/** What lies between our server and the store. It passes on what comes as it is, unless it is told to change it. */
export interface Wire {
  url: string;
  /** What is done to each request. */
  change: (passing: Passing) => Passing;
  /** What is done to the body of an answer that is no refusal, before anything of it is passed on. */
  answer: (body: AsyncIterable<Buffer>) => Promise<AsyncIterable<Buffer>>;
  /** What the store answered, such as "PUT 403 SignatureDoesNotMatch". */
  answers: string[];
  /** Breaks off what is on its way, and passes on as it is what comes then. */
  reset: () => void;
  close: () => void;
}

const asItIs: Pick<Wire, "change" | "answer"> = {
  change: (passing) => passing,
  answer: async (body) => body,
};

export async function openWire(storeUrl: string): Promise<Wire> {
  const { hostname, port } = new URL(storeUrl);
  const server = createServer(
    (request, response) => void pass(request, response).catch(() => response.destroy()),
  );
  const { url, close } = await listen(server);
  const reset = () => {
    Object.assign(wire, asItIs);
    server.closeAllConnections();
  };
  const wire: Wire = { url, ...asItIs, answers: [], reset, close };
  return wire;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", rawHeaders: headers } = request;
    const { body, ...passing } = wire.change({ method, path, headers, body: request });
    const onward = send({ hostname, port, ...passing, agent: false });
    // Whoever goes away takes the other end along.
    response.once("close", () => onward.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) =>
      onward.once("response", resolve).once("error", reject),
    );
    // A store may answer before it has read all, and read no more.
    pipeline(body, onward).catch(() => {});
    const answer = await answered;
    const status = answer.statusCode ?? 0;
    const said = status < 300 ? "" : await text(answer);
    wire.answers.push([method, status, ...said.matchAll(/(?<=<Code>)\w+/g)].join(" "));
    const answerBody = status < 300 ? await wire.answer(answer) : [said];
    response.writeHead(status, answer.rawHeaders);
    await pipeline(answerBody, response);
  }
}
