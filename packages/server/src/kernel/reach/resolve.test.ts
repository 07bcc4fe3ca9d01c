import { describe, expect, test } from "vitest";
import { goodAnswers, hostileAnswers } from "./fixtures/dns-answers.ts";
import { dnsServer } from "./fixtures/dns-server.ts";
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
  ])("%s, in the words for a name that has no address", async (_, addresses) => {
    const refused = { type: "dns", message: "receiver.example has no public address." };
    await expect(resolveTo(...addresses)).rejects.toMatchObject(refused);
    await expect(resolveTo()).rejects.toMatchObject(refused);
  });
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
  await expect(refused).rejects.toMatchObject({ type: "dns" });
});

test("localhost is found in development", async () => {
  const addresses = await resolveAllowed("localhost", { allowUnsafe: true, signal });
  expect(addresses).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
});

describe("a DNS server that answers with", () => {
  test.each(hostileAnswers)("$title lets nothing be reached, and does not show it", async ({ answers }) => {
    const { servers } = await dnsServer(answers);
    const resolve = (name: string) => resolveByDns(name, undefined, { servers, timeoutMs: 200 });
    const reached = resolveAllowed("receiver.example", { allowUnsafe: false, resolve });
    // Whoever only looks up has no deadline but the patience of the search.
    await expect(reached).rejects.toMatchObject({
      type: "dns",
      message: "receiver.example has no public address.",
    });
  });

  test.each(goodAnswers)("$title leads there", async ({ answers, addresses }) => {
    const { servers } = await dnsServer(answers);
    const resolve = (name: string) => resolveByDns(name, undefined, { servers, timeoutMs: 500 });
    expect(await resolveAllowed("receiver.example", { allowUnsafe: false, resolve })).toEqual(addresses);
  });

  test("nothing is asked no further when told to stop", async () => {
    const { servers, first } = await dnsServer(() => null);
    const deadline = new AbortController();
    const found = resolveByDns("receiver.example", deadline.signal, { servers });
    await first;
    deadline.abort();
    expect(await found).toEqual([]);
  });

  test("something is asked for that name alone, without search domains or the names of this machine", async () => {
    const { servers, asked } = await dnsServer(() => ({ code: 3 }));
    expect(await resolveByDns("localhost.example", undefined, { servers })).toEqual([]);
    expect(asked.sort()).toEqual(["A", "AAAA"]);
  });
});
