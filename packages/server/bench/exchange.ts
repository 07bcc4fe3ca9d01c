import { once } from "node:events";
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });

interface Asked {
  port: number;
  /** Method and path. */
  route: string;
  token: string;
  body?: object;
}

/**
 * Sends a request and gives the text that answers it. Plainer and cheaper than fetch, on the two cores that it shares with what it measures.
 * @throws {Error} for anything but success.
 */
export async function exchange({ port, route, token, body }: Asked): Promise<string> {
  const [method = "", path = ""] = route.split(" ");
  const json = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body && { "content-type": "application/json" }),
    ...(method !== "GET" && { "content-length": Buffer.byteLength(json) }),
  };
  const sent = request({ agent, port, host: "127.0.0.1", method, path, headers });
  sent.end(json);
  const [answer] = await once(sent, "response");
  let text = "";
  for await (const chunk of answer) text += chunk;
  if (answer.statusCode >= 300) throw new Error(`${route} was answered with ${answer.statusCode}: ${text}`);
  return text;
}

/** Closes the connections, so that the process can end. */
export const closeConnections = () => agent.destroy();

/** How often a second so many writers get their work done, each one time after the other. */
export async function rateOf(
  { writers, ms }: { writers: number; ms: number },
  work: (writer: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const write = async (writer: number) => {
    while (performance.now() < startedAt + ms) {
      await work(writer);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return (done * 1000) / (performance.now() - startedAt);
}
