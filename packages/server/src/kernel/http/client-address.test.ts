import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientAddress, isProxy, networkOf, readProxies } from "./client-address.ts";

const proxies = readProxies("10.0.0.0/8, 127.0.0.1, 2001:db8::/32");

describe("the address of the client", () => {
  test("is the socket's address if that is no trusted proxy, whatever it forwards", () => {
    expect(clientAddress("203.0.113.7", "198.51.100.1", proxies)).toBe("203.0.113.7");
    expect(clientAddress("::ffff:203.0.113.7", undefined, proxies)).toBe("203.0.113.7");
  });

  test("is the one that the trusted proxy forwards for", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.1", proxies)).toBe("198.51.100.1");
    expect(clientAddress("2001:db8::1", "2001:4860::7", proxies)).toBe("2001:4860::7");
  });

  test("cannot be forged by sending the header", () => {
    expect(clientAddress("127.0.0.1", "1.1.1.1, 198.51.100.1, 10.1.2.3", proxies)).toBe("198.51.100.1");
    expect(clientAddress("127.0.0.1", "198.51.100.1, nonsense", proxies)).toBe("127.0.0.1");
  });

  test("is the proxy's own if all that it forwards for are proxies, or nobody", () => {
    expect(clientAddress("127.0.0.1", "10.1.2.3, 10.1.2.4", proxies)).toBe("10.1.2.3");
    expect(clientAddress("127.0.0.1", "", proxies)).toBe("127.0.0.1");
  });

  test("is written bare where IPv6 only carries it", () => {
    expect(clientAddress("::ffff:127.0.0.1", "::FFFF:198.51.100.1", proxies)).toBe("198.51.100.1");
    for (const address of ["2001:4860::ffff:1.2.3.4", "::ffff:cb00:7107"])
      expect(clientAddress("127.0.0.1", address, proxies)).toBe(address);
  });
});

test.each([
  "10.0.0.0/33",
  "proxy.example",
  "::1/129",
  "10.0.0.0/x",
  "10.0.0.0/8x",
  "10.0.0.0/",
  "10.0.0.0/-8",
  "10.0.0.0/8.5",
])("%s is refused as a proxy", (text) => {
  expect(() => readProxies(text)).toThrow(SyntaxError);
});

test("a proxy is an address or a network of any length", () => {
  const given = readProxies("192.0.2.1/32,2001:db8::1/128,, 198.51.100.0/24");
  expect(
    ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "198.51.100.9", "nonsense"].map((address) =>
      isProxy(address, given),
    ),
  ).toEqual([true, false, true, false, true, false]);
});

describe("requests are counted together by network:", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
    ["2001:0DB8:0000:0001::", "2001:db8:0:1::/64"],
    ["2001:db8::1:0:0:0:5", "2001:db8:0:1::/64"],
    ["2001:db8:0:1::203.0.113.7", "2001:db8:0:1::/64"],
    ["2001:db8::7", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["::ffff:0:203.0.113.7", "0:0:0:0::/64"],
    ["fe80::1%eth0:1::2", "fe80:0:0:0::/64"],
    ["", ""],
  ])("%s is of %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test("every spelling of an IPv6 address has the same network", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const { hostname } = new URL(`http://[${address}]`);
        expect(networkOf(hostname.slice(1, -1))).toBe(networkOf(address));
        expect(networkOf(address)).toMatch(/^([0-9a-f]{1,4}:){4}:\/64$|^(\d{1,3}\.){3}\d{1,3}$/);
      }),
    );
  });
});
