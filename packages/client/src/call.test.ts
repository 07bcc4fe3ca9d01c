import { describe, expect, test, vi } from "vitest";
import { answering, json, refusal } from "../test/answers.ts";
import { exchange } from "./call.ts";
import { createClient } from "./index.ts";

const prompt = { owner: "ada", slug: "reply" };
const unchanged = () =>
  new Response(null, { status: 304, headers: { etag: '"2"', "x-request-id": "req-3" } });

describe("the response", () => {
  test("is there beside the data, of one and the same request", async () => {
    const headers = { etag: '"1"', "x-request-id": "req-2" };
    const { client, requests } = answering(json({ slug: "reply" }, { headers }));
    const { data, response } = await client.prompts.get(prompt).withResponse();
    expect(data).toEqual({ slug: "reply" });
    expect(response.headers.get("etag")).toBe('"1"');
    expect(requests).toHaveLength(1);
  });

  test("is the data where an operation answers with a file", async () => {
    const { client } = answering(() => new Response("Hello"));
    const { data, response } = await client.prompts.raw.get(prompt).withResponse();
    expect(data).toBe(response);
    expect(await data.text()).toBe("Hello");
  });

  test("fails as the call does, once", async () => {
    const { client } = answering(refusal(404, "not_found"));
    // A second rejection that nobody heard of would fail this run.
    await expect(client.prompts.get(prompt).withResponse()).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a conditional read", () => {
  test("rejects with not_modified when there is nothing new, as there is no data to give", async () => {
    const { client, requests } = answering(unchanged);
    const reading = client.prompts.get(prompt, { headers: { "if-none-match": '"2"' } });
    await expect(reading).rejects.toMatchObject({ code: "not_modified", status: 304, requestId: "req-3" });
    expect(requests.map(({ headers }) => headers.get("if-none-match"))).toEqual(['"2"']);
  });

  test("is no failure within the client", async () => {
    const { fetch } = answering(unchanged);
    const connection = {
      baseUrl: "http://registry.test",
      token: undefined,
      fetch,
      timeoutMs: undefined,
      deadlineMs: undefined,
      retries: 2,
      onAttempt: undefined,
      validate: undefined,
    };
    const { data, response } = await exchange(connection, "prompts.get", prompt);
    expect(data).toBeUndefined();
    expect([response.status, response.headers.get("etag")]).toEqual([304, '"2"']);
  });
});

describe("a refusal", () => {
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

test("a signal that outlives many calls is left with nothing of them, however they end", async () => {
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

describe("an address that cannot be", () => {
  test("rejects the call, and throws nothing before", async () => {
    const client = createClient({ baseUrl: "http://registry.test", token: null });
    await expect(client.prompts.get({ owner: "..", slug: "reply" })).rejects.toThrow(TypeError);
  });
});
