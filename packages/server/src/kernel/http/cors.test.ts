import { contract, listOperations } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";

let server: FixtureServer;

beforeAll(async () => {
  server = await startFixtures();
});
afterAll(() => server.stop());

describe("a page of another origin", () => {
  const origin = { origin: "https://app.example" };

  test.each([
    ["a response", "GET /tagged/a", 200],
    ["an error", "GET /numbers/5?limit=0", 422],
    ["a refused token", "GET /tagged/a", 401],
    ["a 405", "DELETE /tagged/a", 405],
  ])("may read %s, without cookies", async (what, route, expected) => {
    const { status, headers } = await server.request(route, {
      headers: { ...origin, ...(what === "a refused token" && { authorization: "Bearer x" }) },
    });
    expect(status).toBe(expected);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    const exposed = headers.get("access-control-expose-headers")?.toLowerCase().split(", ") ?? [];
    for (const name of ["etag", "location", "retry-after", "x-request-id", "idempotency-replayed"]) {
      expect(exposed).toContain(name);
    }
    expect(exposed).toEqual(expect.arrayContaining(["ratelimit", "ratelimit-policy"]));
  });

  test("may read the description of the API", async () => {
    const { status, headers } = await server.real.anonymous("GET /openapi.json", { headers: origin });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });

  test("may read the 404 of an unknown address", async () => {
    const { status, headers } = await server.real.anonymous("GET /nothing", { headers: origin });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
  });

  test("may read a 304", async () => {
    const { status, headers } = await server.request("GET /tagged/a", {
      headers: { ...origin, "if-none-match": '"a"' },
    });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([304, "*"]);
  });

  test("learns from a preflight request what it may send", async () => {
    const { status, headers, text } = await server.request("OPTIONS /words/a", {
      headers: {
        ...origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "authorization",
      },
    });
    expect([status, text]).toEqual([204, ""]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")?.split(", ").sort()).toEqual([
      "GET",
      "HEAD",
      "PATCH",
      "PUT",
    ]);
    const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(", ") ?? [];
    const ofOperations = listOperations(contract).flatMap(({ id, operation }) =>
      // No page signs what Discord sends.
      id === "discord.interactions.receive"
        ? []
        : Object.keys((operation.headers as { shape?: object } | undefined)?.shape ?? {}),
    );
    expect(ofOperations).toContain("content-range");
    const ofAll = [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-match",
      "if-none-match",
      "x-request-id",
    ];
    for (const name of [...ofOperations, ...ofAll]) expect(allowed).toContain(name);
    expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
    expect(headers.get("x-request-id")).not.toBeNull();
  });
});
