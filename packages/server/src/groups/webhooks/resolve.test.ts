import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { resolveAllowed, resolveByDns } from "./resolve.ts";

const { signal } = new AbortController();

function resolveTo(...addresses: string[]) {
  return resolveAllowed("receiver.example", { allowUnsafe: false, signal, resolve: async () => addresses });
}

describe("an answer is refused as a whole", () => {
  const good = "93.184.215.14";
  test.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback beside a public address", [good, "127.0.0.1"]],
    ["loopback before a public address", ["127.0.0.1", good]],
    ["a private address last of many", [...Array<string>(5_000).fill(good), "10.0.0.1"]],
    ["a private address beyond those that would be tried", [good, good, good, good, good, "192.168.0.1"]],
    ["the metadata service", ["169.254.169.254"]],
    ["Azure's platform service", ["168.63.129.16"]],
    ["this host", ["0.0.0.0"]],
    ["carrier-grade NAT", ["100.64.0.1"]],
    ["multicast", [good, "224.0.0.1"]],
    ["broadcast", ["255.255.255.255"]],
    ["IPv6 loopback beside public IPv4", [good, "::1"]],
    ["a unique-local address", ["fd00::1"]],
    ["a link-local address with a zone", ["fe80::1%eth0"]],
    ["a mapped loopback address", ["::ffff:127.0.0.1"]],
    ["a mapped public address", ["::ffff:93.184.215.14"]],
    ["NAT64 of a private address", ["64:ff9b::a00:1"]],
    ["6to4 of a private address", ["2002:a00:1::1"]],
    ["Teredo", ["2001:0:7f00:1::1"]],
    ["ISATAP of a private address", ["2606:4700::5efe:a00:1"]],
    ["a name in place of an address", [good, "localhost"]],
    ["an IPv4 address in octal", ["0177.0.0.1"]],
    ["an address with a port", [`${good}:80`]],
    ["an empty text", [""]],
  ])("%s", async (_, addresses) => {
    await expect(resolveTo(...addresses)).rejects.toMatchObject({ type: "refused_address" });
  });
});

test("an answer without addresses is a failure of the name", async () => {
  await expect(resolveTo()).rejects.toMatchObject({ type: "dns" });
});

test("a refusal does not say which address it was", async () => {
  await expect(resolveTo("10.20.30.40")).rejects.not.toThrow(/10\.20/);
});

test("at most four public addresses of each family are tried, IPv4 first", async () => {
  const ipv4 = Array.from({ length: 300 }, (_, n) => `8.8.${n % 256}.1`);
  const ipv6 = Array.from({ length: 300 }, (_, n) => `2606:4700::${n}`);
  await expect(resolveTo(...ipv6, ...ipv4)).resolves.toEqual([...ipv4.slice(0, 4), ...ipv6.slice(0, 4)]);
});

test.each(["8.8.8.8", "2606:4700::1111"])("the address %s stands for itself", async (address) => {
  await expect(resolveAllowed(address, { allowUnsafe: false, signal })).resolves.toEqual([address]);
});

test("the address 127.0.0.1 is refused like a name that leads there", async () => {
  const refused = resolveAllowed("127.0.0.1", { allowUnsafe: false, signal });
  await expect(refused).rejects.toMatchObject({ type: "refused_address" });
});

test("localhost is found in development", async () => {
  const addresses = await resolveAllowed("localhost", { allowUnsafe: true, signal });
  expect(addresses).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
});

describe("asking the DNS", () => {
  test("gives the addresses of both families", async () => {
    const server = await dnsServer((type) => (type === "A" ? ["192.0.2.1", "10.0.0.1"] : ["2001:db8::1"]));
    const addresses = await resolveByDns("receiver.example", signal, [server.address]);
    expect(addresses).toEqual(["192.0.2.1", "10.0.0.1", "2001:db8::1"]);
  });

  test("is content with one family", async () => {
    const server = await dnsServer((type) => (type === "A" ? [] : ["2001:db8::1"]));
    await expect(resolveByDns("receiver.example", signal, [server.address])).resolves.toEqual([
      "2001:db8::1",
    ]);
  });

  test("fails on a name without addresses", async () => {
    const server = await dnsServer(() => []);
    const failed = resolveByDns("receiver.example", signal, [server.address]);
    await expect(failed).rejects.toMatchObject({ type: "dns", message: expect.stringContaining("ENODATA") });
  });

  test("stops when told to, although no server ever answers", async () => {
    const server = await dnsServer(() => null);
    const deadline = new AbortController();
    const failed = resolveByDns("receiver.example", deadline.signal, [server.address]);
    await server.asked;
    deadline.abort();
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining("ECANCELLED") });
  });
});

/** A DNS server that answers every question with these addresses, or never when it is given `null`. */
async function dnsServer(addressesOf: (type: "A" | "AAAA") => string[] | null) {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const addresses = addressesOf(query.at(questionEnd(query) - 3) === 1 ? "A" : "AAAA");
    if (addresses) socket.send(dnsReply(query, addresses), from.port, from.address);
  });
  const asked = once(socket, "message");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function dnsReply(query: Buffer, addresses: string[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = isIPv4(address)
      ? Buffer.from(address.split(".").map(Number))
      : Buffer.from(
          address
            .replace("::", ":0:0:0:0:0:")
            .split(":")
            .map((group) => group.padStart(4, "0"))
            .join(""),
          "hex",
        );
    return Buffer.concat([
      Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]),
      data,
    ]);
  });
  return Buffer.concat([header, query.subarray(12, questionEnd(query)), ...records]);
}

/** A question is a name, closed by a zero, then two bytes of type and two of class. */
function questionEnd(query: Buffer): number {
  return query.indexOf(0, 12) + 5;
}
