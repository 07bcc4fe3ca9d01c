import { BlockList, isIP } from "node:net";

/** How strict to be about where requests of ours go: `allowUnsafe` is the one switch for development. */
export interface AddressPolicy {
  /** Permits `http:`, names of the local network, and loopback and private addresses. */
  allowUnsafe: boolean;
  /** What is open beside the Internet. */
  opened?: Opened | null | undefined;
}

/** Places inside that an operator opens. Link-local addresses and metadata services stay closed. */
export interface Opened {
  /** As the operator wrote them. */
  text: string;
  networks: BlockList;
  /** Hosts, or `.corp.example` for all below it. They may have private addresses, but not loopback. */
  names: readonly string[];
}

/**
 * Reads addresses, networks and names, comma-separated: `10.0.0.0/8,hooks.corp.example,*.lan`.
 * @throws {SyntaxError} naming the part that is none, or that is never opened.
 */
export function readOpened(text: string): Opened | null {
  const parts = text.split(",").map((part) => part.trim().toLowerCase());
  const [networks, names] = [new BlockList(), [] as string[]];
  for (const part of parts.filter((one) => one !== "")) {
    const [address = "", length] = part.split("/");
    const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
    const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (bits > 0 && isLength && isNeverOpened(address, Number(length ?? bits)))
      throw new SyntaxError(
        `"${part}" is link-local, multicast, a metadata service or IPv4 within IPv6, and never opened.`,
      );
    if (part === "localhost") throw new SyntaxError('"localhost" is opened by its address, 127.0.0.1.');
    if (bits > 0 && isLength) networks.addSubnet(address, Number(length ?? bits), familyOf(address));
    else if (/^(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(part) && /[^\d.]/.test(part))
      names.push(part.replace("*", ""));
    else
      throw new SyntaxError(
        `"${part}" is no address, network or name, such as 10.0.0.0/8 or *.corp.example.`,
      );
  }
  return text.trim() === "" ? null : { text: parts.join(", "), networks, names };
}

/** Whether an operator cannot open anything of a network: the smallest closed one begins it. */
const isNeverOpened = (address: string, length: number): boolean => length >= 8 && isClosed(address);

/** The longest URL, in characters, both as typed and as parsed. */
const maxUrlLength = 2_048;

/** Unicast that is assigned for use on the Internet; every other part of IPv6 is refused unseen. */
const ipv6Unicast = listOf("2000::/3");

/**
 * The IANA special-purpose registries (IPv4, and IPv6 inside 2000::/3), entries marked "globally reachable"
 * included: relays and sinks live there, never a server of others. Multicast and what clouds add stand beside them.
 */
const special = listOf(
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, most metadata services
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "168.63.129.16/32", // Azure's platform service, on an address that is formally public
  "34.118.224.0/20", // services of a Google Kubernetes cluster, likewise: its own API is among them
  "2001::/23", // protocol assignments: Teredo, benchmarks, AMT, AS112, ORCHID, drone ids
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which carries an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3ffe::/16", // the 6bone, given back
  "3fff::/20", // documentation
);

const privateNetworks = listOf(
  "10.0.0.0/8",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
);

const loopback = listOf("127.0.0.0/8", "::1/128");

/** Metadata services of clouds, also at private addresses, and what else no request of ours has a reason to reach. */
const neverOpened = listOf(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "168.63.129.16/32",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "100.100.100.200/32", // Alibaba
  "192.0.0.192/32", // Oracle
  "::/128",
  "fe80::/10",
  "ff00::/8",
  "fd00:ec2::254/128", // Amazon
  "fd20:ce::254/128", // Google
  "fd00:a9fe:a9fe::1/128", // Akamai
);

/** Forms of IPv6 that carry an IPv4 address: compatible, mapped, translated, both NAT64, Teredo and 6to4. */
const carriers = listOf(
  "::/96",
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2001::/32",
  "2002::/16",
);

/** Top names that the public DNS has not, and will not: those of machines, homes, companies and clusters. */
// biome-ignore format: a table reads best in rows
const localNames = [
  "localhost", "localdomain", "local", "internal", "home.arpa", "lan", "home", "corp", "private", "intranet",
  "svc", "onion", "alt", "metadata.goog",
];

/**
 * Whether an IP address, written as a resolver writes it, is global unicast and nothing more special.
 * Forms of IPv6 that carry an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP …) never are.
 */
export function isPublicAddress(ip: string): boolean {
  switch (isIP(ip)) {
    case 4:
      return !special.check(ip);
    case 6:
      // A zone (`%eth0`) makes sense for link-local addresses alone, whatever stands before it.
      return (
        !ip.includes("%") && ipv6Unicast.check(ip, "ipv6") && !special.check(ip, "ipv6") && !isIsatap(ip)
      );
    default:
      return false;
  }
}

/** Whether a request to a host may go to this address of it: a public one, one that is opened or, with `allowUnsafe`, a private one. */
export function isAllowedAddress(ip: string, { allowUnsafe, opened }: AddressPolicy, host = ip): boolean {
  if (isPublicAddress(ip)) return true;
  if (isIP(ip) === 0 || ip.includes("%") || isClosed(ip)) return false;
  const family = familyOf(ip);
  if (opened?.networks.check(ip, family)) return true;
  const isPrivate = privateNetworks.check(ip, family);
  return isPrivate && (allowUnsafe || (isOpenedName(host, opened) && !loopback.check(ip, family)));
}

/** Whether no operator opens an address. What a form of IPv6 leads to that carries an IPv4 address is not what it says. */
function isClosed(ip: string): boolean {
  const family = familyOf(ip);
  if (neverOpened.check(ip, family)) return true;
  return family === "ipv6" && !loopback.check(ip, family) && (carriers.check(ip, family) || isIsatap(ip));
}

const isOpenedName = (host: string, opened: Opened | null | undefined): boolean =>
  opened?.names.some((name) => (name.startsWith(".") ? host.endsWith(name) : host === name)) ?? false;

/**
 * Judges a URL by its text alone; what its name resolves to is for `resolveAllowed`.
 * `problem` is a sentence for the person who typed the URL.
 */
export function checkUrl(
  text: string,
  policy: AddressPolicy,
): { url: URL; problem?: undefined } | { url?: undefined; problem: string } {
  const problem = problemOfText(text, policy);
  if (problem !== null) return { problem };
  const url = URL.parse(text);
  if (url === null) return { problem: "This is not a valid URL." };
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  const parsedProblem = problemOfUrl(url, policy);
  return parsedProblem === null ? { url } : { problem: parsedProblem };
}

/** The host of a URL as a resolver wants it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/[[\]]/g, "");
}

/** What parsing would silently mend or drop, so that it has to be seen before. */
function problemOfText(text: string, { allowUnsafe }: AddressPolicy): string | null {
  if (text.length > maxUrlLength) return tooLong;
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(text)) return "The URL must not contain spaces or invisible characters.";
  if (text.includes("\\")) return "The URL must not contain a backslash.";
  if (text.includes("#")) return "The URL must not contain a fragment (#): it would never be sent.";
  const authority = /^(https?):\/\/([^/?]+)/i.exec(text);
  if (authority === null || (!allowUnsafe && authority[1]?.toLowerCase() !== "https")) {
    return "The URL must start with https:// and the name of a host.";
  }
  if (authority[2]?.includes("@")) return "The URL must not contain a user name or password.";
  if (authority[2]?.includes("%")) return "The host must not contain a percent sign.";
  return null;
}

function problemOfUrl(url: URL, policy: AddressPolicy): string | null {
  if (url.href.length > maxUrlLength) return tooLong;
  if (url.port === "0") return "Port 0 cannot be reached.";
  const host = hostOf(url);
  if (isIP(host) !== 0) return isAllowedAddress(host, policy) ? null : `The address ${host} is not public.`;
  if (host.length > 253 || !/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host)) {
    return "The host is not a valid name.";
  }
  const isLocal = !host.includes(".") || localNames.some((name) => `.${host}`.endsWith(`.${name}`));
  // What such a name leads to is checked when it is resolved.
  if (isLocal && !policy.allowUnsafe && !policy.opened)
    return `The name ${host} is not reachable from the Internet.`;
  return null;
}

const tooLong = `The URL must not be longer than ${maxUrlLength} characters.`;

/** RFC 5214: the second half of the address is 0:5efe and an IPv4 address, whatever the u and g bits say. */
function isIsatap(ip: string): boolean {
  const groups = groupsOf(ip);
  return groups[5] === 0x5efe && ((groups[4] ?? 0) & ~0x0300) === 0;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function groupsOf(ip: string): number[] {
  const [left = [], right = []] = new URL(`http://[${ip}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((side) => side.split(":").map((group) => Number.parseInt(group || "0", 16)));
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function listOf(...subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", prefix] = subnet.split("/");
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

function familyOf(ip: string): "ipv4" | "ipv6" {
  return ip.includes(":") ? "ipv6" : "ipv4";
}
