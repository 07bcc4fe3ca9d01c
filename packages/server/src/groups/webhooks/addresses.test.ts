import { describe, expect, test } from "vitest";
import { checkWebhookUrl, isAllowedAddress, isPublicAddress } from "./addresses.ts";

// biome-ignore format: a table reads best in rows
const specialAddresses = [
  // This network, private, shared, loopback, link-local: first and last of each block
  "0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
  "127.0.0.0", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.255.255", "172.16.0.0",
  "172.31.255.255", "192.168.0.0", "192.168.255.255",
  // Protocol assignments, documentation, relays, sinks, benchmarks
  "192.0.0.0", "192.0.0.9", "192.0.0.255", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1",
  "192.175.48.1", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1",
  // Multicast, reserved, broadcast
  "224.0.0.0", "224.0.0.251", "239.255.255.255", "240.0.0.1", "255.255.255.254", "255.255.255.255",
  // Metadata and platform services of clouds
  "169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254",
  "fd20:ce::254", "fd00:a9fe:a9fe::1",
  // Unspecified, loopback, unique-local, link-local, site-local, multicast, discard, segment routing
  "::", "::1", "fc00::", "fdff::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
  "100::1", "100:0:0:1::1", "5f00::1",
  // Mapped, compatible, SIIT, both NAT64 prefixes
  "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "0:0:0:0:0:ffff:a00:1", "::127.0.0.1", "::8.8.8.8",
  "::ffff:0:127.0.0.1", "::ffff:0:808:808", "64:ff9b::10.0.0.1", "64:ff9b::808:808", "64:ff9b:1::a00:1",
  "64:ff9b:1:ffff:ffff:ffff:808:808",
  // 6to4, Teredo, ISATAP with every state of its two flags
  "2002:7f00:1::", "2002:808:808::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2606:4700::5efe:a00:1", "2606:4700::5efe:10.0.0.1", "2606:4700::100:5efe:a00:1",
  "2606:4700::200:5efe:808:808", "2606:4700:1:2:300:5efe:a00:1",
  // The rest of 2001::/23, documentation, AS112, given back, never assigned
  "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1",
  "2001:1ff:ffff::", "2001:db8::1", "3fff::1", "3fff:fff:ffff::1", "2620:4f:8000::1", "3ffe::1", "4000::1",
  "200::1", "1fff:ffff::1", "8000::1",
  // Not addresses
  "", " ", "localhost", "8.8.8", "8.8.8.8 ", "08.8.8.8", "0x8.8.8.8", "134744072", "8.8.8.8:443",
  "8.8.8.8/32", "[2606:4700::1111]", "2606:4700::1111%eth0", "2606:4700::1111::", "2606:4700::g", "8.8.8.8\0",
];

// biome-ignore format: a table reads best in rows
const publicAddresses = [
  "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
  "128.0.0.1", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255",
  "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
  "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::1", "2001:200::1", "2001:4860:4860::8888",
  "2003::1", "2606:4700:4700::1111", "2620:4f:8001::1", "2a00:1450:4001:830::200e", "2606:4700::5efd:a00:1",
  "2606:4700::5efe:a00:1:2", "3ffd::1", "3fff:1000::1",
];

// biome-ignore format: a table reads best in rows
const hostileUrls = [
  // Not a URL, or not https
  "", "https", "https:", "https:/", "https://", "https:///", "https://?", "https://:443/", "example.com/hook",
  "//example.com/hook", "/hook", "http://example.com/hook", "HTTP://example.com", "ftp://example.com/hook",
  "ws://example.com/hook", "wss://example.com/hook", "file:///etc/passwd", "javascript:alert(1)",
  "data:text/plain,hello", "gopher://example.com/", "blob:https://example.com/1", "unix:/var/run/docker.sock",
  "https:example.com", "https:/example.com", "https:///example.com", "https:////example.com",
  "view-source:https://example.com", "https//example.com", "https::443",
  // What parsing would strip or mend
  " https://example.com", "https://example.com ", "https://exam ple.com", "https://example.com/a b",
  "\thttps://example.com", "https://exam\tple.com", "https://example.com/\n", "ht\ntps://example.com",
  "https://example.com\r\nHost: localhost", "https://example.com/\0", "\0https://example.com",
  "https://example.com/\u007f", "https://example.com/\u0085", "https://example.com\u00a0/",
  "https://exam\u00adple.com", "https://exam\u200bple.com", "\ufeffhttps://example.com",
  "https://example.com/\u202egpj", "https://example.com/\u2028", "https://example.com/\ud800",
  "https://example.com\\@127.0.0.1", "https:\\\\example.com", "https://example.com/\\",
  "https:/\\example.com", "https://example.com#", "https://example.com/#fragment",
  "https://example.com#@127.0.0.1/",
  // Credentials, also empty ones
  "https://user@example.com", "https://user:pass@example.com", "https://:pass@example.com",
  "https://@example.com", "https://:@example.com", "https://example.com@127.0.0.1",
  "https://127.0.0.1@example.com", "https://example.com:443@10.0.0.1/", "https://a@b@example.com",
  "https://user%40@example.com",
  // Loopback in every spelling
  "https://127.0.0.1", "https://127.0.0.1:8443/hook", "https://127.1", "https://127.0.1",
  "https://127.0.0.1.", "https://2130706433", "https://0x7f000001", "https://0x7f.0.0.1", "https://0x7f.1",
  "https://017700000001", "https://0177.0.0.1", "https://0177.0.0.01", "https://127.0.0.0x1",
  "https://127.255.255.254", "https://%31%32%37.0.0.1", "https://１２７.0.0.1", "https://127。0。0。1",
  "https://①②⑦.0.0.1", "https://0", "https://0.0.0.0", "https://0x0", "https://00000", "https://[::]",
  "https://[::1]", "https://[::1]:8443/", "https://[0:0:0:0:0:0:0:1]", "https://[0000::0001]",
  "https://[::127.0.0.1]", "https://[::ffff:127.0.0.1]", "https://[::ffff:7f00:1]",
  "https://[0:0:0:0:0:ffff:127.0.0.1]", "https://[::ffff:0:127.0.0.1]",
  // Other special addresses
  "https://10.0.0.1", "https://012.0.0.1", "https://167772161", "https://172.16.0.1",
  "https://172.31.255.255", "https://192.168.1.1", "https://3232235777", "https://0xc0a80101",
  "https://192.168.257", "https://100.64.0.1", "https://169.254.169.254/latest/meta-data/",
  "https://2852039166", "https://0xa9fea9fe", "https://0251.0376.0251.0376",
  "https://[::ffff:169.254.169.254]", "https://[::ffff:a9fe:a9fe]", "https://168.63.129.16",
  "https://100.100.100.200", "https://192.0.0.192", "https://192.0.2.1", "https://198.18.0.1",
  "https://224.0.0.1", "https://255.255.255.255", "https://[fd00:ec2::254]", "https://[fe80::1]",
  "https://[fe80::1%25eth0]", "https://[fe80::1%eth0]", "https://[fc00::1]", "https://[ff02::1]",
  "https://[64:ff9b::7f00:1]", "https://[64:ff9b::10.0.0.1]", "https://[64:ff9b:1::a00:1]",
  "https://[2002:7f00:1::]", "https://[2001:0:7f00:1::]", "https://[2001:db8::1]",
  "https://[2606:4700::5efe:a00:1]", "https://[3fff::1]",
  // Names of the local network
  "https://localhost", "https://localhost:8443/hook", "https://LOCALHOST", "https://localhost.",
  "https://LocalHost./", "https://a.localhost", "https://a.b.localhost.", "https://localhost.localdomain",
  "https://printer.local", "https://PRINTER.LOCAL", "https://printer.local.",
  "https://metadata.google.internal/computeMetadata/v1/", "https://db.internal", "https://internal",
  "https://router.home.arpa", "https://home.arpa", "https://metadata", "https://postgres:5432", "https://com",
  "https://xn--mnchen-3ya", "https://%6c%6f%63alhost", "https://ｌocalhost", "https://ⓛocalhost",
  "https://local%68ost",
  // Hosts that are none
  "https://example..com", "https://.example.com", "https://example.com..", "https://.", "https://..",
  "https://*.example.com", "https://exa$mple.com", "https://example.com,evil.example",
  "https://example.com%00.evil.example", "https://exam%20ple.com", "https://exa'mple.com",
  "https://1.2.3.4.5", "https://256.1.1.1", "https://1.2.3.0x100", "https://4294967296", "https://[::1",
  "https://::1/", "https://[::g]", "https://[1.1.1.1]", "https://[2606:4700::1111]evil.example",
  `https://${"a".repeat(64)}.example`, `https://${"a.".repeat(127)}example`,
  // Ports and lengths
  "https://example.com:0", "https://example.com:65536", "https://example.com:-1", "https://example.com:443x",
  "https://example.com:80:80", `https://example.com/${"a".repeat(2_029)}`,
  `https://example.com/${"é".repeat(400)}`,
];

// biome-ignore format: a table reads best in rows
const goodUrls = [
  "https://example.com", "https://example.com/", "https://example.com/hook", "https://example.com?token=abc",
  "https://example.com/?", "https://example.com:443/hook", "https://example.com:8443/hook",
  "https://example.com:1/", "https://example.com:65535/", "HTTPS://EXAMPLE.COM/Hook",
  "https://Example.Com/hook", "https://a.b.c.d.e.f.example.com/", "https://a_b.example.com/",
  "https://a--b.example.com/", "https://1.example.com/", "https://1and1.com",
  "https://xn--mnchen-3ya.example/hook", "https://münchen.example/hook", "https://例え.テスト/",
  "https://example.com/é", "https://example.com/%C3%A9", "https://example.com/%00",
  "https://example.com/a//b/../c", "https://example.com/user@host", "https://example.com/?to=user@host",
  "https://example.com/?url=http://127.0.0.1/", "https://localhost.example.com", "https://local.example.com/",
  "https://notlocalhost.com", "https://mylocal.dev", "https://internal.example.com",
  "https://127.0.0.1.nip.io", "https://10-0-0-1.example.com", "https://1.1.1.1/hook", "https://8.8.8.8:8443",
  "https://134744072/", "https://0x08080808/", "https://[2606:4700:4700::1111]/hook",
  "https://[2001:4860:4860::8888]:8443/", `https://${"a".repeat(63)}.example`,
  `https://example.com/${"a".repeat(2_028)}`,
  "https://hooks.example.com/services/T000/B000/x;y=1,2!~*'()$&+=", "https://example.com/[a]{b}|c^d`e\"<f>",
];

/** A title short enough to read beside the text itself. */
const titled = (text: string) => [text.slice(0, 60), text] as const;

const strict = { allowUnsafe: false };
const unsafe = { allowUnsafe: true };

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

describe("webhook URLs", () => {
  test.each(hostileUrls.map(titled))("%j is refused with a sentence that says why", (_, text) => {
    expect(checkWebhookUrl(text, strict)).toEqual({ problem: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test.each(goodUrls.map(titled))("%s passes", (_, text) => {
    expect(checkWebhookUrl(text, strict).url?.href).toBe(new URL(text).href);
  });

  test("the final dot of a host is dropped, since no certificate names it", () => {
    expect(checkWebhookUrl("https://example.com.:8443/hook", strict).url?.href).toBe(
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
    expect(checkWebhookUrl(text, unsafe).url?.href).toBe(new URL(text).href);
  });

  test.each([
    "ftp://localhost/",
    "http://user@localhost/",
    "http://169.254.169.254/",
    "http://local host/",
    "http://a..b/",
  ])("%s is refused even in development", (text) => {
    expect(checkWebhookUrl(text, unsafe).problem).toEqual(expect.any(String));
  });
});
