import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What stands in front of a server, and with it goes away, or answers in its place. */
export interface Front {
  readonly url: string;
  /** How many requests have come. */
  asked: number;
  /** What answers in the place of the server from now on; undefined lets requests through. */
  inPlace: (() => Response | Promise<Response>) | undefined;
  /** Refuses connections from now on, until it is started; each may come twice. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Opens a port of this machine, behind which `answer` stands. */
export async function openFront(answer: (request: Request) => Promise<Response>): Promise<Front> {
  const server = createServer((request, response) => {
    front.asked += 1;
    const answered = front.inPlace ? front.inPlace() : answer(toRequest(request));
    void Promise.resolve(answered).then((whole) => send(whole, response));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const front: Front = {
    url: `http://127.0.0.1:${port}`,
    asked: 0,
    inPlace: undefined,
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
