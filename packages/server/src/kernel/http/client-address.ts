import { BlockList, isIP } from "node:net";

const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
/** A dual-stack socket shows IPv4 addresses in this form. */
export const bare = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");

/**
 * Reads TRUSTED_PROXIES: addresses and networks (`10.0.0.0/8`), comma-separated.
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

/** Whether an address is one of our proxies. */
export const isProxy = (address: string, proxies: BlockList): boolean =>
  isIP(address) !== 0 && proxies.check(address, family(address));

/**
 * The address of the client. Behind our proxies it is the last entry of X-Forwarded-For that is not a proxy of ours; entries
 * further left can be forged. Otherwise it is the address of the socket.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  proxies: BlockList,
): string {
  if (forwardedFor === undefined) return bare(socketAddress);
  const hops = [...(forwardedFor?.split(",") ?? []), socketAddress].map((hop) => bare(hop.trim()));
  let nearest = hops.at(-1) ?? "";
  while (hops.length > 1 && isProxy(nearest, proxies)) {
    hops.pop();
    const next = hops.at(-1) ?? "";
    if (isIP(next) === 0) break;
    nearest = next;
  }
  return nearest;
}

/**
 * What counts as one address for limits. An IPv4 address is itself, also when it is mapped into IPv6. An IPv6 address counts
 * as its /64, such as `2001:db8:0:1::/64`, because one customer or machine has all of it.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const network = groups.slice(0, 4).map(hex).join(":");
  const [, , , , e, f, g = 0, h = 0] = groups;
  if (network === "0:0:0:0" && e === 0 && f === 0xffff) {
    return [g >> 8, g & 255, h >> 8, h & 255].join(".");
  }
  return `${network}::/64`;
}

/** The eight numbers of an IPv6 address. The last two may be written as IPv4. */
function groupsOf(address: string): number[] {
  const [plain = ""] = address.split("%", 1);
  const written = plain.replace(
    /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/,
    (_, a, b, c, d) => `${hex(a * 256 + +b)}:${hex(c * 256 + +d)}`,
  );
  const [head = [], tail = []] = written.split("::").map(numbersOf);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...zeros, ...tail];
}

const numbersOf = (piece: string) =>
  piece === "" ? [] : piece.split(":").map((group) => Number.parseInt(group, 16));
const hex = (group: number) => group.toString(16);
