import * as net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, fetchFile, gathering, refusal, site, useSites } from "./fixtures/site.ts";

useSites();

describe("a redirect", () => {
  const redirecting = (location: string, status = 302) =>
    refusal((_, response) => response.writeHead(status, { location }).end());

  test("is followed three times, and no more", async () => {
    const after = (count: number) =>
      site(({ url = "" }, response) =>
        url.length > count
          ? response.end("There.")
          : response.writeHead(307, { location: `${url}x#y` }).end(),
      );
    const three = await after(4);
    expect(await fetchFile(`https://receiver.example:${three.port}/x`)).toBe(true);
    expect(three.asked.map(({ path }) => path)).toEqual(["/x", "/xx", "/xxx", "/xxxx"]);
    const four = await after(5);
    await expect(fetchFile(`https://receiver.example:${four.port}/x`)).rejects.toThrow(
      /redirects more than 3 times/,
    );
    expect(four.asked).toHaveLength(4);
  });

  test.each([301, 302, 303, 307, 308])("is one if it is answered with %i", async (status) => {
    const { url, asked } = await site(({ url: at }, response) =>
      at === "/there" ? response.end("There.") : response.writeHead(status, { location: "/there" }).end(),
    );
    expect(await fetchFile(url)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test("to another server takes along nothing", async () => {
    const target = await site((_, response) => response.end("There."));
    const { url } = await site((_, response) =>
      response.writeHead(301, { location: target.url, "set-cookie": "a=b" }).end(),
    );
    expect(await fetchFile(url)).toBe(true);
    expect(Object.keys(target.asked[0]?.headers ?? {})).not.toContain("cookie");
  });

  test("to plain http is refused, in development too", async () => {
    expect(await redirecting("http://localhost:80/")).toContain("must start with https://");
  });

  test.each([
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00:ec2::254]/",
    "https://user:secret@receiver.example/",
    "ftp://receiver.example/",
    "file:///etc/passwd",
    "data:text/plain,hello",
    "https://receiver.example:0/",
  ])("to %s leads nowhere", async (location) => {
    expect(await redirecting(location)).toMatch(/where nothing is fetched|cannot be reached/);
  });
});

describe("a name that leads elsewhere by then", () => {
  const turning = () => {
    let lookups = 0;
    return async () => [lookups++ === 0 ? "127.0.0.1" : "169.254.169.254"];
  };

  test("is looked up once for a connection: what was checked is what is reached", async () => {
    const { url } = await site((_, response) => response.end("There."));
    expect(await fetchFile(url, { resolve: turning() })).toBe(true);
  });

  test("is not reached by a redirect", async () => {
    const answer: Answer = (_, response) => response.writeHead(302, { location: "/again" }).end();
    expect(await refusal(answer, { resolve: turning() })).toMatch(/has no public address/);
  });
});

describe("in production, a download", () => {
  let inside: net.Server;
  let reached = 0;
  beforeAll(() => {
    inside = net.createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    return new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => inside.close());
  const port = () => (inside.address() as net.AddressInfo).port;

  test.each([
    ["plain http", () => "http://receiver.example/", /must start with https/],
    ["this machine", () => `https://127.0.0.1:${port()}/`, /is not public/],
    ["a name of the local network", () => `https://localhost:${port()}/`, /not reachable from the Internet/],
    [
      "a name that leads to this machine",
      () => `https://receiver.example:${port()}/`,
      /has no public address/,
    ],
  ])("does not go to %s", async (_, url, sentence) => {
    await expect(fetchFile(url(), {}, gathering(false))).rejects.toThrow(sentence);
    expect(reached).toBe(0);
  });
});
