import { describe, expect, test, vi } from "vitest";
import { answering, json, refusal } from "../test/answers.ts";
import { exchange } from "./exchange.ts";
import { createClient } from "./index.ts";

const prompt = { owner: "ada", slug: "reply" };
const unchanged = () =>
  new Response(null, { status: 304, headers: { etag: '"2"', "x-request-id": "req-3" } });

describe("the response", () => {
  test("comes with the data, from the same request", async () => {
    const headers = { etag: '"1"', "x-request-id": "req-2" };
    const { client, requests } = answering(json({ slug: "reply" }, { headers }));
    const { data, response } = await client.prompts.get(prompt).withResponse();
    expect(data).toEqual({ slug: "reply" });
    expect(response.headers.get("etag")).toBe('"1"');
    expect(requests).toHaveLength(1);
  });

  test("is the data if an operation returns a file", async () => {
    const { client } = answering(() => new Response("Hello"));
    const { data, response } = await client.prompts.raw.get(prompt).withResponse();
    expect(data).toBe(response);
    expect(await data.text()).toBe("Hello");
  });

  test("rejects as the call does, once", async () => {
    const { client } = answering(refusal(404, "not_found"));
    // A second, unhandled rejection would fail this run.
    await expect(client.prompts.get(prompt).withResponse()).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a conditional read", () => {
  test("rejects with not_modified if nothing changed, since there is no data to return", async () => {
    const { client, requests } = answering(unchanged);
    const reading = client.prompts.get(prompt, { headers: { "if-none-match": '"2"' } });
    await expect(reading).rejects.toMatchObject({ code: "not_modified", status: 304, requestId: "req-3" });
    expect(requests.map(({ headers }) => headers.get("if-none-match"))).toEqual(['"2"']);
  });

  test("is no error inside the client", async () => {
    const { fetch } = answering(unchanged);
    const connection = {
      baseUrl: "http://registry.test",
      token: undefined,
      fetch,
      timeoutMs: undefined,
      bodyTimeoutMs: undefined,
      deadlineMs: undefined,
      retries: 2,
      onAttempt: undefined,
      validate: undefined,
    };
    const { data, response } = await exchange(connection, "prompts.get", {
      method: "GET",
      path: "/prompts/ada/reply",
      isRepeatable: true,
      headers: {},
    });
    expect(data).toBeUndefined();
    expect([response.status, response.headers.get("etag")]).toEqual([304, '"2"']);
  });
});

describe("an error response", () => {
  test.each([
    ["12", 12_000],
    ["0", 0],
    ["soon", undefined],
  ])("says how long to wait: %s", async (after, retryAfterMs) => {
    const { connect } = answering(refusal(429, "rate_limited", { "retry-after": after }));
    const calling = connect({ retries: 0 }).users.me.get();
    await expect(calling).rejects.toMatchObject({ code: "rate_limited", retryAfterMs });
  });
});

test("calls leave no listeners on a signal that lives longer, however they end", async () => {
  const { connect } = answering(json({}), refusal(404, "not_found"), () => Promise.reject(new TypeError()));
  const client = connect({ retries: 0 });
  const { signal } = new AbortController();
  const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
  for (let i = 0; i < 3; i += 1) await client.prompts.get(prompt, { signal }).catch(() => undefined);
  expect(added.mock.calls.length).toBeGreaterThan(0);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
    expect.arrayContaining(added.mock.calls.map(([, listener]) => listener)),
  );
});

test("an input that changes right after the call is sent as it was", async () => {
  const { client, requests } = answering(json({}));
  const input = { ...prompt };
  const calling = client.prompts.get(input);
  input.slug = "other";
  await calling;
  expect(requests.map(({ url }) => url)).toEqual(["http://registry.test/api/v1/prompts/ada/reply"]);
});

describe("an impossible address", () => {
  test("rejects the call, and never throws synchronously", async () => {
    const client = createClient({ baseUrl: "http://registry.test", token: null });
    await expect(client.prompts.get({ owner: "..", slug: "reply" })).rejects.toThrow(TypeError);
  });
});
