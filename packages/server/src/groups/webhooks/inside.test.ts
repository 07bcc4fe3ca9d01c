import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import * as net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { isAllowedAddress, readOpened } from "../../kernel/reach/addresses.ts";
import {
  authority,
  closeServers,
  issued,
  key,
  listen,
  toLoopback,
  trusting,
} from "../../kernel/reach/fixtures/servers.ts";
import { openTunnel } from "../../kernel/reach/tunnel.ts";
import { checkDestination } from "./destination.ts";
import { deliver } from "./fixtures/receivers.ts";

afterEach(closeServers);

const policyOf = (text: string) => ({ allowUnsafe: false, opened: readOpened(text) });
const receiver = () =>
  listen(https.createServer({ key, cert: issued("good") }, (_, response) => response.end("ok")));

describe("WEBHOOK_ALLOW", () => {
  test.each([
    ["10.0.0.0/8", "10.1.2.3", "10.1.2.3"],
    ["10.0.0.0/8", "hooks.internal", "10.1.2.3"],
    ["10.1.2.3/32", "hooks.internal", "10.1.2.3"],
    ["fd12::7/128", "hooks.internal", "fd12::7"],
    ["127.0.0.1", "localhost", "127.0.0.1"],
    ["fd12::/16", "hooks.lan", "fd12::7"],
    ["::/0", "localhost", "::1"],
    ["100.64.0.0/10", "hooks.tailnet.example", "100.100.100.199"],
    ["*.corp.example", "hooks.corp.example", "10.1.2.3"],
    ["*.corp.example, 192.168.0.0/16", "a.b.corp.example", "fd12::7"],
    ["hooks.corp.example", "hooks.corp.example", "172.16.0.9"],
    ["10.0.0.0/8", "public.example", "93.184.215.14"],
  ])("%s opens %s at %s", (opened, host, address) => {
    expect(isAllowedAddress(address, policyOf(opened), host)).toBe(true);
  });

  test.each([
    ["10.0.0.0/8", "10.0.0.1.example", "192.168.1.1"],
    ["*.corp.example", "corp.example", "10.1.2.3"],
    ["*.corp.example", "evilcorp.example", "10.1.2.3"],
    ["hooks.corp.example", "a.hooks.corp.example", "10.1.2.3"],
    ["*.corp.example", "hooks.corp.example", "127.0.0.1"],
    ["*.corp.example", "hooks.corp.example", "::1"],
    ["*.corp.example", "hooks.corp.example", "169.254.169.254"],
    ["*.corp.example", "hooks.corp.example", "fd00:ec2::254"],
    ["*.corp.example", "hooks.corp.example", "::ffff:10.1.2.3"],
    ["0.0.0.0/0", "hooks.corp.example", "169.254.169.254"],
    ["0.0.0.0/0", "hooks.corp.example", "0.0.0.0"],
    ["::/0", "hooks.corp.example", "fe80::1"],
    ["::/0", "hooks.corp.example", "::"],
    ["::/0", "hooks.corp.example", "64:ff9b::a9fe:a9fe"],
    ["::/0", "hooks.corp.example", "64:ff9b:1::a9fe:a9fe"],
    ["::/0", "hooks.corp.example", "2002:a9fe:a9fe::1"],
    ["::/0", "hooks.corp.example", "2001:0:a9fe:a9fe::1"],
    ["::/0", "hooks.corp.example", "::ffff:0:a9fe:a9fe"],
    ["::/0", "hooks.corp.example", "::a9fe:a9fe"],
    ["::/0", "hooks.corp.example", "fd12::5efe:a9fe:a9fe"],
    ["100.64.0.0/10", "hooks.corp.example", "100.100.100.200"],
    ["192.0.0.0/24", "hooks.corp.example", "192.0.0.192"],
  ])("%s does not open %s at %s", (opened, host, address) => {
    expect(isAllowedAddress(address, policyOf(opened), host)).toBe(false);
  });

  test.each([
    "10.0.0.0/33",
    "10.0.0.0/-8",
    "10.0.0.0/8.5",
    "fd12::/129",
    "10.0.0",
    "!a.example",
    "a.example!",
    "*",
    "*.",
    "https://a.example",
    "a b",
    "10.0.0.0/8;a",
    "a..b",
    "169.254.0.0/16",
    "169.254.169.254",
    "fd00:ec2::254",
    "fe80::/64",
    "::ffff:10.1.2.3",
    "64:ff9b::/96",
    "100.100.100.200",
    "localhost",
  ])("%j is refused", (text) => {
    expect(() => readOpened(text)).toThrow(SyntaxError);
  });

  test("lets a webhook be saved and delivered to what it names, by https alone", async () => {
    const { port } = await receiver();
    const server = { allowUnsafeWebhooks: false, webhookReach: { opened: readOpened("127.0.0.1") } };
    const url = `https://receiver.example:${port}/`;
    expect(await checkDestination(url, server, toLoopback)).toBe(url);
    await expect(checkDestination(url.replace("https", "http"), server, toLoopback)).rejects.toMatchObject({
      code: "webhook_url_refused",
    });
    const elsewhere = async () => ["127.0.0.2"];
    await expect(checkDestination(url, server, elsewhere)).rejects.toMatchObject({
      code: "webhook_url_refused",
    });
    const delivered = (resolve: () => Promise<string[]>) =>
      deliver(url, { ...policyOf("127.0.0.1"), agent: trusting(authority), resolve });
    expect(await delivered(toLoopback)).toMatchObject({ ok: true });
    expect(await delivered(elsewhere)).toMatchObject({ error: { type: "dns" } });
  });
});

describe("WEBHOOK_PROXY", () => {
  interface Asked {
    target: string | undefined;
    login: string | undefined;
  }

  /** A proxy that connects as it is asked to, or answers a status. */
  async function proxy({ answers = 200 } = {}) {
    const asked: Asked[] = [];
    const server = http.createServer((_, response) => response.writeHead(405).end());
    server.on("connect", ({ url = "", headers }, client: net.Socket) => {
      asked.push({ target: url, login: headers["proxy-authorization"] });
      if (answers !== 200) {
        client.end(`HTTP/1.1 ${answers} No\r\n\r\n`);
        return;
      }
      const { hostname, port } = new URL(`http://${url}`);
      const onward = net.connect(Number(port), hostname, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(client).pipe(onward);
      });
      onward.on("error", () => client.end("HTTP/1.1 502 No\r\n\r\n"));
      client.on("error", () => onward.destroy());
    });
    const { port } = await listen(server);
    return { asked, url: new URL(`http://ada:p%40ss@127.0.0.1:${port}`) };
  }
  const through = ({ url }: { url: URL }) => ({
    ...policyOf("127.0.0.1"),
    tunnel: openTunnel(url, { ca: authority }),
    resolve: toLoopback,
  });

  test("connects to the address that was checked, checks the certificate for the name, and uses the connection again", async () => {
    const [{ port, sockets }, by] = [await receiver(), await proxy()];
    const options = through(by);
    for (let nth = 0; nth < 3; nth++)
      expect(await deliver(`https://receiver.example:${port}/`, options)).toMatchObject({
        ok: true,
        responseStatus: 200,
      });
    const login = `Basic ${Buffer.from("ada:p@ss").toString("base64")}`;
    expect(by.asked).toEqual([{ target: `127.0.0.1:${port}`, login }]);
    expect(sockets).toHaveLength(1);
    expect(await deliver(`https://other.example:${port}/`, options)).toMatchObject({
      error: { type: "tls" },
    });
  });

  test("is asked for nothing that is not allowed", async () => {
    const by = await proxy();
    const options = { ...through(by), opened: null };
    expect(await deliver("https://receiver.example/", options)).toMatchObject({ error: { type: "dns" } });
    expect(await deliver("https://127.0.0.1/", options)).toMatchObject({
      error: { type: "refused_address" },
    });
    expect(by.asked).toEqual([]);
  });

  test("that refuses or is away is named as the reason, and not the receiver", async () => {
    const [{ port }, by] = [await receiver(), await proxy({ answers: 403 })];
    const url = `https://receiver.example:${port}/`;
    expect((await deliver(url, through(by))).error).toEqual({
      type: "connect",
      message: "Cannot connect to the endpoint: the proxy answered 403",
    });
    const gone = net.createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port: unused } = gone.address() as net.AddressInfo;
    gone.close();
    const { error } = await deliver(url, through({ url: new URL(`http://127.0.0.1:${unused}`) }));
    expect(error?.message).toMatch(/^Cannot connect to the endpoint: the proxy cannot be reached/);
  });

  test("that never answers costs an attempt no more than its time", async () => {
    const { port } = await listen(net.createServer(() => {}));
    const options = { ...through({ url: new URL(`http://127.0.0.1:${port}`) }), deadlineMs: 200 };
    expect(await deliver("https://receiver.example/", options)).toMatchObject({
      error: { type: "timeout", message: "Timed out while connecting." },
    });
  });
});
