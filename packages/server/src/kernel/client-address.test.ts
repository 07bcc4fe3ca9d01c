import { describe, expect, test } from "vitest";
import { clientAddress, readProxies } from "./client-address.ts";

const proxies = readProxies("10.0.0.0/8, 127.0.0.1, 2001:db8::/32");

describe("who is at the other end", () => {
  test("is the socket's address where no proxy is trusted, whatever it forwards", () => {
    expect(clientAddress("203.0.113.7", "198.51.100.1", proxies)).toBe("203.0.113.7");
    expect(clientAddress("::ffff:203.0.113.7", undefined, proxies)).toBe("203.0.113.7");
  });

  test("is what the nearest trusted proxy forwards for", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.1", proxies)).toBe("198.51.100.1");
    expect(clientAddress("2001:db8::1", "2001:4860::7", proxies)).toBe("2001:4860::7");
  });

  test("cannot be forged by sending the header along", () => {
    expect(clientAddress("127.0.0.1", "1.1.1.1, 198.51.100.1, 10.1.2.3", proxies)).toBe("198.51.100.1");
    expect(clientAddress("127.0.0.1", "198.51.100.1, nonsense", proxies)).toBe("127.0.0.1");
  });
});

test.each(["10.0.0.0/33", "proxy.example", "::1/129", "10.0.0.0/x"])("%s is refused as a proxy", (text) => {
  expect(() => readProxies(text)).toThrow(SyntaxError);
});
