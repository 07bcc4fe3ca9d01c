import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";
import { AttemptError } from "./outcome.ts";

/** Gives every address of a host name, in any order, or none; gives up when the signal aborts. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<string[]>;

/** Enough for a host that is down in places; nobody should have us knock at a thousand doors. */
const maxAddressesPerFamily = 4;

/** What came by then counts. Some servers never say that they know no IPv6 address, and their IPv4 address is good. */
const patienceMs = 4_000;

/**
 * Finds the addresses that a delivery may connect to: at most four of each family, IPv4 first.
 * One address that is not allowed refuses them all, for the next lookup could return it alone. Whether a name has such an
 * address or none, and which, stays unsaid: that would let anyone read the names of our own network.
 * @throws {AttemptError} of type `dns`
 */
export async function resolveAllowed(
  hostname: string,
  options: AddressPolicy & { signal?: AbortSignal | undefined; resolve?: Resolve | undefined },
): Promise<string[]> {
  const resolve = options.resolve ?? (options.allowUnsafe ? resolveLikeThisMachine : resolveByDns);
  const addresses = isIP(hostname) === 0 ? await resolve(hostname, options.signal) : [hostname];
  if (addresses.length === 0 || !addresses.every((address) => isAllowedAddress(address, options)))
    throw new AttemptError("dns", `${hostname} leads to no public address.`);
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
  given: { servers?: readonly string[]; patienceMs?: number } = {},
): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (given.servers) resolver.setServers(given.servers);
  const cancel = () => resolver.cancel();
  const patience = setTimeout(cancel, given.patienceMs ?? patienceMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  } finally {
    clearTimeout(patience);
    signal?.removeEventListener("abort", cancel);
  }
}

/** With `allowUnsafe` a name means what it means to every program here: hosts file, containers and all. */
async function resolveLikeThisMachine(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
