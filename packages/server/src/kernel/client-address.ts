import { BlockList, isIP } from "node:net";

const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
/** A socket that takes both families shows IPv4 addresses in this form. */
const bare = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");

/**
 * Reads TRUSTED_PROXIES: addresses and networks (`10.0.0.0/8`), with commas between.
 * @throws {SyntaxError} naming the part that is neither.
 */
export function readProxies(text: string): BlockList {
  const proxies = new BlockList();
  for (const part of text.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    const [address = "", length] = part.split("/");
    const bits = isIP(address) === 6 ? 128 : 32;
    const isNetwork = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (isIP(address) === 0 || !isNetwork)
      throw new SyntaxError(`"${part}" is neither an address nor a network`);
    proxies.addSubnet(address, Number(length ?? bits), family(address));
  }
  return proxies;
}

/**
 * Says who is at the other end: the socket's address, or what the nearest proxy that is not ours forwarded for.
 * What stands further left in X-Forwarded-For was written by whoever wanted to.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  proxies: BlockList,
): string {
  const hops = [...(forwardedFor?.split(",") ?? []), socketAddress].map((hop) => bare(hop.trim()));
  let nearest = hops.at(-1) ?? "";
  while (hops.length > 1 && isIP(nearest) !== 0 && proxies.check(nearest, family(nearest))) {
    hops.pop();
    const next = hops.at(-1) ?? "";
    if (isIP(next) === 0) break;
    nearest = next;
  }
  return nearest;
}
