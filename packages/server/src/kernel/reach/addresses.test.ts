import { describe, expect, test } from "vitest";
import { checkUrl, isAllowedAddress, isPublicAddress } from "./addresses.ts";
import { publicAddresses, specialAddresses } from "./fixtures/addresses.ts";
import { hostileAnswers } from "./fixtures/dns-answers.ts";
import { goodUrls, hostileUrls } from "./fixtures/urls.ts";

/** A title short enough to read beside the text itself. */
const titled = (text: string) => [text.slice(0, 60), text] as const;

const strict = { allowUnsafe: false };
const unsafe = { allowUnsafe: true };

test("the lists are as long as they claim, and name nothing twice", () => {
  const lists = { hostileUrls, specialAddresses, hostileAnswers: hostileAnswers.map(({ title }) => title) };
  for (const list of [...Object.values(lists), goodUrls, publicAddresses])
    expect(new Set(list).size).toBe(list.length);
  expect(hostileUrls.length).toBeGreaterThanOrEqual(120);
  expect(specialAddresses.length).toBeGreaterThanOrEqual(80);
  expect(hostileAnswers.length).toBeGreaterThanOrEqual(20);
  expect(goodUrls.length).toBeGreaterThanOrEqual(30);
});

describe("addresses", () => {
  test.each(specialAddresses)("%j is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(isAllowedAddress(address, strict)).toBe(false);
  });

  test.each(publicAddresses)("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(["127.0.0.1", "10.1.2.3", "172.20.0.2", "192.168.1.1", "::1", "fd12::1", "8.8.8.8"])(
    "%s is allowed in development",
    (address) => {
      expect(isAllowedAddress(address, unsafe)).toBe(true);
    },
  );

  test.each([
    "169.254.169.254",
    "168.63.129.16",
    "fd00:ec2::254",
    "0.0.0.0",
    "224.0.0.1",
    "fe80::1%lo",
    "",
    "x",
  ])("%j is refused even in development", (address) => {
    expect(isAllowedAddress(address, unsafe)).toBe(false);
  });
});

describe("URLs", () => {
  test.each(hostileUrls.map(titled))("%j is refused with a sentence that says why", (_, text) => {
    expect(checkUrl(text, strict)).toEqual({ problem: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test.each(goodUrls.map(titled))("%s passes", (_, text) => {
    expect(checkUrl(text, strict).url?.href).toBe(new URL(text).href);
  });

  test("the final dot of a host is dropped, since no certificate names it", () => {
    expect(checkUrl("https://example.com.:8443/hook", strict).url?.href).toBe(
      "https://example.com:8443/hook",
    );
  });

  test.each([
    "http://localhost:8080/hook",
    "http://127.0.0.1:9/",
    "https://[::1]/",
    "http://receiver:3000",
    "https://a.local",
  ])("%s passes in development", (text) => {
    expect(checkUrl(text, unsafe).url?.href).toBe(new URL(text).href);
  });

  test.each([
    "ftp://localhost/",
    "http://user@localhost/",
    "http://169.254.169.254/",
    "http://local host/",
    "http://a..b/",
  ])("%s is refused even in development", (text) => {
    expect(checkUrl(text, unsafe).problem).toEqual(expect.any(String));
  });
});
