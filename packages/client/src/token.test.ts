import { describe, expect, test, vi } from "vitest";
import { answering, json, refusal } from "../test/answers.ts";

const sent = (request: Request | undefined) => request?.headers.get("authorization");

describe("a token that is a function", () => {
  test("is called for each call, and may be async", async () => {
    const { connect, requests } = answering(json({}));
    const token = vi
      .fn<() => Promise<string>>()
      .mockResolvedValueOnce("prt_1")
      .mockResolvedValueOnce("prt_2");
    const client = connect({ token });
    await client.users.me.get();
    await client.users.me.get();
    expect(requests.map(sent)).toEqual(["Bearer prt_1", "Bearer prt_2"]);
  });

  test("is called once for all attempts of a call", async () => {
    const { connect, requests } = answering(
      refusal(503, "unavailable", { "retry-after": "0" }),
      json({ ok: true }),
    );
    const token = vi.fn<() => string>(() => "prt_1");
    await connect({ token }).users.me.get();
    expect(requests.map(sent)).toEqual(["Bearer prt_1", "Bearer prt_1"]);
    expect(token).toHaveBeenCalledTimes(1);
  });

  test("is not called again after a refused token", async () => {
    const { connect, requests } = answering(refusal(401, "invalid_token"));
    const token = vi.fn<() => string>(() => "prt_1");
    await expect(connect({ token }).users.me.get()).rejects.toMatchObject({ code: "invalid_token" });
    expect([token.mock.calls.length, requests.length]).toEqual([1, 1]);
  });

  test("may return null, for no token", async () => {
    const { connect, requests } = answering(json({}));
    await connect({ token: () => null }).users.me.get();
    expect(sent(requests[0])).toBeNull();
  });

  const broken = new Error("the vault is sealed");
  test.each([
    [
      "throws",
      () => {
        throw broken;
      },
    ],
    ["rejects", () => Promise.reject(broken)],
  ])("that %s fails the call with the same error, and nothing is sent", async (_, token) => {
    const { connect, requests } = answering(json({}));
    await expect(connect({ token }).users.me.get()).rejects.toBe(broken);
    expect(requests).toHaveLength(0);
  });

  test("that returns invalid characters is rejected, without repeating them", async () => {
    const { connect, requests } = answering(json({}));
    const calling = connect({ token: () => "prt_a\nb" }).users.me.get();
    await expect(calling).rejects.toThrow("The token contains invalid characters");
    expect(requests).toHaveLength(0);
  });
});
