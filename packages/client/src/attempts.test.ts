import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { answering, json, refusal } from "../test/answers.ts";
import type { Attempt, OnAttempt, Outcome } from "./index.ts";

const busy = refusal(503, "unavailable", { "retry-after": "0" });
const fine = json({ ok: true }, { headers: { "x-request-id": "req-2" } });

/** Records each attempt and its outcome. */
function recorder() {
  const seen: [Attempt, Outcome][] = [];
  const onAttempt: OnAttempt = (attempt) => (outcome) => seen.push([attempt, outcome]);
  return { seen, onAttempt };
}

describe("onAttempt", () => {
  test("gets each attempt and its outcome", async () => {
    const { connect } = answering(busy, fine);
    const { seen, onAttempt } = recorder();
    await connect({ onAttempt }).prompts.get({ owner: "ada", slug: "reply", query: { label: "a" } });
    const url = "http://registry.test/api/v1/prompts/ada/reply?label=a";
    const about = { operation: "prompts.get", method: "GET", url };
    const durationMs = expect.any(Number);
    expect(seen).toMatchObject([
      [
        { ...about, attempt: 1 },
        { status: 503, requestId: "req-1", durationMs },
      ],
      [
        { ...about, attempt: 2 },
        { status: 200, requestId: "req-2", durationMs },
      ],
    ]);
  });

  test("gets the reason if no response came", async () => {
    const failure = new TypeError("fetch failed");
    const { connect } = answering(() => Promise.reject(failure));
    const { seen, onAttempt } = recorder();
    await expect(connect({ onAttempt, retries: 0 }).users.me.get()).rejects.toThrow("cannot be reached");
    expect(seen[0]?.[1]).toEqual({ error: failure, durationMs: expect.any(Number) });
  });

  test("can add headers to each attempt", async () => {
    const { connect, requests } = answering(busy, fine);
    const onAttempt: OnAttempt = ({ attempt, headers }) => headers.set(`trace-${attempt}`, "00-1");
    await connect({ onAttempt }).users.me.get();
    const sent = requests.map(({ headers }) => [headers.get("trace-1"), headers.get("trace-2")]);
    expect(sent).toEqual([
      ["00-1", null],
      [null, "00-1"],
    ]);
  });

  test("never sees the token", async () => {
    const { connect, requests } = answering(fine);
    const { seen, onAttempt } = recorder();
    await connect({ onAttempt }).users.me.get();
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer prt_secret");
    expect(inspect(seen, { depth: 20, showHidden: true })).not.toContain("prt_secret");
    expect([...(seen[0]?.[0].headers ?? [])]).toEqual([]);
  });

  test.each<[string, OnAttempt]>([
    [
      "throws before",
      () => {
        throw new Error("broken");
      },
    ],
    [
      "throws after",
      () => () => {
        throw new Error("broken");
      },
    ],
    ["rejects after", () => async () => Promise.reject(new Error("broken"))],
    ["rejects before", (async () => Promise.reject(new Error("broken"))) as never],
    ["returns nonsense", (() => "nonsense") as never],
  ])("does not break the call when it %s", async (_, onAttempt) => {
    const { connect } = answering(fine);
    expect(await connect({ onAttempt }).users.me.get()).toEqual({ ok: true });
    // An unhandled rejection would fail this run.
  });

  test("is called for each page of a list", async () => {
    const { connect } = answering(
      json({ items: [1], nextCursor: "a" }),
      json({ items: [], nextCursor: null }),
    );
    const onAttempt = vi.fn<OnAttempt>();
    for await (const _ of connect({ onAttempt }).prompts.list()) continue;
    expect(onAttempt.mock.calls.map(([{ attempt, url }]) => [attempt, new URL(url).search])).toEqual([
      [1, ""],
      [1, "?cursor=a"],
    ]);
  });
});
