import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";

/** Open for nothing at once, over all hosts and both protocols. */
const maxIdleConnections = 1_000;

// Common servers keep an idle connection for five seconds and more, so ours are seldom closed under us.
const options = { keepAlive: true, timeout: 4_000 };

/** Connections that wait for their next request, longest waiting first. */
const idle = new Set<Duplex>();

function forget(this: Duplex): void {
  idle.delete(this);
}

/** Makes an agent keep only those connections that were used last; its own limits are for each host alone. */
function boundIdle<A extends http.Agent>(agent: A): A {
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex) {
      const [longest] = idle.size < maxIdleConnections ? [] : idle;
      if (longest) idle.delete(longest.destroy());
      idle.add(socket.once("close", forget));
      return keep(socket);
    },
    reuseSocket(socket: Duplex, request: http.ClientRequest) {
      idle.delete(socket.off("close", forget));
      reuse(socket, request);
    },
    // Nothing else differs between our requests. Node's own name for an origin has two dozen parts.
    getName: ({ host, port }: http.ClientRequestArgs = {}) => `${host}:${port}`,
  });
}

/** The connections of all deliveries, kept between them. */
export const agents: Record<string, http.Agent> = {
  "http:": boundIdle(new http.Agent(options)),
  "https:": boundIdle(new https.Agent(options)),
};
