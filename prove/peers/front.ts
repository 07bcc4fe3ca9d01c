import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What stands in front of a server, and with it goes away, or answers in its place. */
export interface Front {
  readonly url: string;
  /** How many requests have come. */
  asked: number;
  /** Answers with the page of a proxy from now on, whose status this is; undefined lets requests through. */
  status: number | undefined;
  /** Refuses connections from now on, until it is started; each may come twice. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Opens a port of this machine, behind which `answer` stands. */
export async function openFront(answer: (request: Request) => Promise<Response>): Promise<Front> {
  const server = createServer((request, response) => {
    front.asked += 1;
    const page = front.status === undefined ? undefined : proxyPage(front.status);
    void Promise.resolve(page ?? answer(toRequest(request))).then((answered) => send(answered, response));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const front: Front = {
    url: `http://127.0.0.1:${port}`,
    asked: 0,
    status: undefined,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    async start() {
      if (!server.listening) await listen(port);
    },
  };
  return front;
}

/** Everything that comes here only reads. */
const toRequest = ({ url = "/", headers }: IncomingMessage) =>
  new Request(new URL(url, "http://behind.test"), {
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
  });

async function send(answered: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answered.arrayBuffer());
  response.writeHead(answered.status, [...answered.headers].flat()).end(body);
}

const proxyPage = (status: number) =>
  new Response(`<!doctype html><title>${status}</title><h1>${status}</h1>`, {
    status,
    headers: { "content-type": "text/html" },
  });
