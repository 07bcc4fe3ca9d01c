import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import * as tls from "node:tls";
import { hostOf } from "./addresses.ts";
import { ReachError } from "./resolve.ts";

type Callback = (error: Error | null, socket: Duplex) => void;
type Wanted = tls.ConnectionOptions & { lookup?: LookupFunction };

/** A connection through the proxy that takes longer than this is given up; the deadline of a request is shorter. */
const patienceMs = 30_000;

/**
 * An agent that connects through a proxy with CONNECT (RFC 9110, 9.3.6): to the addresses that `lookup` gives, and not to a name, so that the proxy
 * resolves nothing itself.
 */
export const openTunnel = (proxy: URL, options: https.AgentOptions = {}): http.Agent =>
  new TunnelAgent(proxy, options);

class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: https.AgentOptions) {
    super({ keepAlive: true, timeout: 4_000, ...options });
    this.#proxy = proxy;
  }

  override createConnection(wanted: Wanted, callback: Callback): undefined {
    const { host = "", port } = wanted;
    addressesOf(wanted)
      .then((addresses) => this.#connectToOne(addresses, port ?? 443))
      .then((socket) => tls.connect({ ...wanted, socket, servername: isIP(host) === 0 ? host : "" }))
      .then(
        (secured) => callback(null, secured),
        (error: Error) => callback(error, undefined as never),
      );
  }

  /** The first that the proxy connects to. */
  async #connectToOne(addresses: readonly string[], port: number): Promise<Socket> {
    let failure: Error = new ReachError("dns", "The name has no address.");
    for (const address of addresses) {
      try {
        return await this.#connect(isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`);
      } catch (error) {
        failure = error as Error;
      }
    }
    throw failure;
  }

  #connect(target: string): Promise<Socket> {
    const { protocol, port, username, password } = this.#proxy;
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return new Promise((resolve, reject) => {
      const request = (protocol === "https:" ? https : http).request({
        host: hostOf(this.#proxy),
        port: port || (protocol === "https:" ? 443 : 80),
        method: "CONNECT",
        path: target,
        agent: false,
        timeout: patienceMs,
        headers: {
          host: target,
          ...(username && { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
        },
      });
      request
        .once("connect", ({ statusCode = 0 }, socket, head) => {
          if (statusCode === 200 && head.length === 0) return resolve(socket);
          socket.destroy();
          reject(new Error(`the proxy answered ${statusCode}`));
        })
        .once("timeout", () => request.destroy(new Error("the proxy does not answer")))
        .once("error", ({ message }) => reject(new Error(`the proxy cannot be reached: ${message}`)))
        .end();
    });
  }
}

/** What a request may connect to. */
const addressesOf = async ({ host = "", lookup }: Wanted): Promise<string[]> =>
  isIP(host) !== 0 || !lookup ? [host] : find(host, lookup);

const find = (host: string, lookup: LookupFunction): Promise<string[]> =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve([found].flat().map((one) => (typeof one === "string" ? one : one.address)));
    });
  });
