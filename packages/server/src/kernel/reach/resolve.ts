import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";

/** Why a request is not made, or given up: no address of the name is allowed, the connection led to another one, a flood came back. */
export class ReachError extends Error {
  override readonly name = "ReachError";
  readonly type: "dns" | "refused_address" | "protocol";

  constructor(type: ReachError["type"], message: string) {
    super(message);
    this.type = type;
  }
}

/** Gives every address of a host name, in any order, or none. Stops when the signal aborts. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<string[]>;

/** Enough for a host that is partly down. Nobody should make us try a thousand addresses. */
const maxAddressesPerFamily = 4;

/** Answers until then count. Some DNS servers never answer for IPv6, although the IPv4 address works. */
const timeoutMs = 4_000;

/**
 * Finds the addresses that a request may go to: at most four of each family, IPv4 first.
 * One address that is not allowed refuses them all, because the next lookup could return it alone. The error does not say
 * whether a name has such an address: otherwise anyone could explore the names of our own network.
 * @throws {ReachError} of type `dns`
 */
export async function resolveAllowed(
  hostname: string,
  options: AddressPolicy & { signal?: AbortSignal | undefined; resolve?: Resolve | undefined },
): Promise<string[]> {
  const resolve = options.resolve ?? (options.allowUnsafe ? resolveLikeSystem : resolveByDns);
  const addresses = isIP(hostname) === 0 ? await resolve(hostname, options.signal) : [hostname];
  if (addresses.length === 0 || !addresses.every((address) => isAllowedAddress(address, options, hostname)))
    throw new ReachError(
      "dns",
      `${hostname} has no ${options.opened ? "address that is public or opened" : "public address"}.`,
    );
  return [4, 6].flatMap((family) =>
    addresses.filter((address) => isIP(address) === family).slice(0, maxAddressesPerFamily),
  );
}

/**
 * Asks the DNS servers (those of this machine unless others are given) and nothing else: no hosts file, no
 * search domains. Unlike `dns.lookup` it can be cancelled and holds no thread while it waits.
 */
export async function resolveByDns(
  hostname: string,
  signal?: AbortSignal,
  given: { servers?: readonly string[]; timeoutMs?: number } = {},
): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (given.servers) resolver.setServers(given.servers);
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, given.timeoutMs ?? timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

/** With `allowUnsafe`, names resolve as for any program on this machine: hosts file, containers and all. */
async function resolveLikeSystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
