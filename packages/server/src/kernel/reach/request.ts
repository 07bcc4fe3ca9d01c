import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { type AddressPolicy, hostOf, isAllowedAddress } from "./addresses.ts";
import { ReachError, type Resolve, resolveAllowed } from "./resolve.ts";

/** What a request may reach; how to resolve names is for tests. */
export interface Guard extends AddressPolicy {
  resolve?: Resolve;
  /** Makes connections for https, by a proxy. */
  tunnel?: http.Agent | null;
}

/** The stage of a request: it decides what an error means. */
export type Stage = "dns" | "connect" | "tls" | "answer";

/** How far a request has come. */
export interface Progress {
  stage: Stage;
  /** Cancels the DNS lookup. */
  search?: AbortController;
}

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

/** A flood of 1xx would keep this process busy until the deadline. Normal servers send one or two. */
const maxInterimAnswers = 1_000;

/**
 * Opens a request to a URL that `checkUrl` accepted. Its connection goes to addresses that were checked: there is no second lookup in
 * between. `progress` follows it. The caller ends it, and limits how long it takes.
 */
export function openRequest(
  url: URL,
  options: Pick<https.RequestOptions, "method" | "headers" | "agent" | "signal">,
  guard: Guard,
  progress: Progress,
): http.ClientRequest {
  const isSecure = url.protocol === "https:";
  const tunnel = isSecure ? guard.tunnel : undefined;
  const request = (isSecure ? https : http).request({
    ...connectOptions,
    ...options,
    ...(tunnel && { agent: tunnel }),
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: url.pathname + url.search,
    lookup: (name, _, callback) => findAddresses(name, guard, progress, callback),
  });
  let interimAnswers = 0;
  request.on("information", () => {
    interimAnswers += 1;
    if (interimAnswers > maxInterimAnswers) request.destroy(new ReachError("protocol", tooManyInterim));
  });
  return request.on("socket", (socket) =>
    followSocket(socket, request, { ...guard, tunnel, host: hostOf(url) }, progress),
  );
}

const tooManyInterim = `The endpoint sent more than ${maxInterimAnswers} interim answers (1xx).`;

/** Gives a new connection only addresses that were checked. IP literals never get here. */
function findAddresses(
  hostname: string,
  guard: Guard,
  progress: Progress,
  callback: Parameters<LookupFunction>[2],
): void {
  progress.stage = "dns";
  const { signal } = (progress.search = new AbortController());
  resolveAllowed(hostname, { ...guard, signal }).then(
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
  { host, tunnel, ...policy }: Guard & { host: string },
  progress: Progress,
): void {
  const checkAddress = () => {
    const address = tunnel ? undefined : socket.remoteAddress;
    if (address === undefined || isAllowedAddress(address, policy, host)) return;
    request.destroy(new ReachError("refused_address", "The connection leads to a private address."));
  };
  if (request.reusedSocket) {
    progress.stage = "answer";
    checkAddress();
    return;
  }
  // It arrives when the proxy has connected.
  if (tunnel) progress.stage = "tls";
  socket.once("connect", () => {
    progress.stage = "encrypted" in socket ? "tls" : "answer";
    checkAddress();
  });
  socket.once("secureConnect", () => {
    progress.stage = "answer";
  });
}
