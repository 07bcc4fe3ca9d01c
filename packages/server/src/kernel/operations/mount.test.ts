import { once } from "node:events";
import { type IncomingMessage, request as send } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";

let server: FixtureServer;
let token: string;

beforeAll(async () => {
  server = await startFixtures();
  ({ token } = await server.real.join("alice"));
});
afterAll(() => server.stop());

/** Sends a path unchanged; `fetch` would normalise it. */
async function get(path: string): Promise<{ status: number; text: string }> {
  const request = send(server.url, { path: `/api/v1${path}` }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: (await response.toArray()).join("") };
}

describe("a path of several segments", () => {
  test.each([
    ["/files/a", "a"],
    ["/files/a/b/c.md", "a/b/c.md"],
    ["/files/a%2Fb", "a/b"],
    ["/files/a%252Fb", "a%2Fb"],
    ["/files/.hidden/..name/a..b", ".hidden/..name/a..b"],
    ["/files/a//b", "a//b"],
    ["/files/a/", "a/"],
    ["/files/%F0%9F%8C%8D%20%3F%23", "🌍 ?#"],
    ["/files/a+b&c=d;e", "a+b&c=d;e"],
  ])("%s is decoded once", async (path, said) => {
    expect(await get(path)).toEqual({ status: 200, text: JSON.stringify({ said }) });
  });

  test.each(["/files/../text", "/files/a/../../text", "/files/%2e%2e/text", "/files/a/.%2E/%2e./text"])(
    "%s is resolved before routing",
    async (path) => {
      expect(await get(path)).toEqual(await get("/text"));
    },
  );

  test("has at least one segment", async () => {
    expect((await get("/files/")).status).toBe(404);
    expect((await get("/files")).status).toBe(404);
  });

  test.each(["/files/%", "/files/%zz", "/files/%ff%fe", "/files/%00", "/files/%C0%AE%C0%AE"])(
    "%s, which is no valid encoding, causes no 500",
    async (path) => {
      expect((await get(path)).status).toBeLessThan(500);
    },
  );
});

describe("a static word", () => {
  test("comes before a parameter in the same position", async () => {
    expect((await server.request("GET /words/newest")).json).toEqual({ said: "the newest" });
    expect((await server.request("GET /words/oldest")).json).toEqual({ said: "oldest" });
  });

  test("does not have the methods of the parameter", async () => {
    const { status, headers, json } = await server.request("PATCH /words/newest", { token });
    expect([status, json.error.code, headers.get("allow")]).toEqual([405, "method_not_allowed", "GET, HEAD"]);
  });
});

describe("another method", () => {
  test.each([
    ["POST", "/words/a", "GET, HEAD, PATCH, PUT"],
    ["GET", "/touch", "POST"],
    ["HEAD", "/touch", "POST"],
    ["DELETE", "/files/a/b", "GET, HEAD"],
    ["PROPFIND", "/page", "GET, HEAD"],
  ])("%s of %s gets 405 with the allowed methods", async (method, path, allowed) => {
    const { status, headers } = await server.request(`${method} ${path}`);
    expect([status, headers.get("allow")?.split(", ").sort().join(", ")]).toEqual([405, allowed]);
    expect(headers.get("x-request-id")).not.toBeNull();
  });
});

describe("the id of a request", () => {
  const idFor = async (id: string) =>
    (await server.request("GET /text", { headers: { "x-request-id": id } })).headers.get("x-request-id");

  test("is the caller's own if it is valid", async () => {
    for (const id of ["01234567", "A.b_c-d.9", "x".repeat(128)]) expect(await idFor(id)).toBe(id);
  });

  test("is a new one otherwise", async () => {
    const ids = await Promise.all(
      ["", "short", "x".repeat(129), "with space", "semi;colon", "ümlaut-id"].map(idFor),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("an unknown query parameter", () => {
  test("is named in the error", async () => {
    const { status, json } = await server.request("GET /text?limti=3");
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(json.error.details).toEqual([
      { path: "/limti", code: "unrecognized_keys", message: expect.any(String) },
    ]);
  });

  test("is named as a JSON Pointer", async () => {
    const { json } = await server.request("GET /text?a%2Fb~c=1");
    expect(json.error.details[0].path).toBe("/a~1b~0c");
  });

  test("is ignored if its name starts with utm_", async () => {
    expect((await server.request("GET /text?utm_source=a&utm_medium=b&utm_source=c")).status).toBe(200);
  });

  test.each(["__proto__=1", "constructor=1", "=1", "%ff=%ff", "toString"])(
    "%s is refused like any other",
    async (query) => {
      const { status, json } = await server.request(`GET /text?${query}`);
      expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("is refused if it is repeated seven thousand times", async () => {
    const { status, text } = await server.request(`GET /text?${"a&".repeat(7000)}`);
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(1000);
  });
});
