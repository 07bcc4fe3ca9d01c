import { expect, test, vi } from "vitest";
import { type EventStore, once } from "./index.ts";

/** A store like Redis: marks expire, by a clock that the test sets. */
function openStore() {
  const marks = new Map<string, { mark: string; until: number }>();
  const clock = { seconds: 0 };
  const store: EventStore = {
    begin: async (id, seconds) => {
      const found = marks.get(id);
      if (found && found.until > clock.seconds) return found.mark;
      marks.set(id, { mark: "begun", until: clock.seconds + seconds });
      return null;
    },
    end: async (id, isHandled) =>
      isHandled ? marks.set(id, { mark: "handled", until: 60 * 86_400 }) : marks.delete(id),
  };
  return { store, clock };
}

const event = { id: "evt_01" };
const handledTwice = () => {
  throw new Error("it is handled twice");
};
const inProgress = expect.objectContaining({ statusCode: 503, message: expect.stringContaining("evt_01") });

test("an event is handled once, however often it comes", async () => {
  const { store, clock } = openStore();
  const handle = vi.fn<(event: object) => void>();
  expect(await once(event, store, handle)).toBe(true);
  for (const seconds of [0, 60, 86_400, 59 * 86_400]) {
    clock.seconds = seconds;
    expect(await once(event, store, handle)).toBe(false);
  }
  expect(await once({ id: "evt_02" }, store, handle)).toBe(true);
  expect(handle.mock.calls).toEqual([[event], [{ id: "evt_02" }]]);
});

test("an event without an id, or an invalid store, is an error before anything is handled", async () => {
  const { store } = openStore();
  const mistakes: unknown[][] = [
    [undefined, store],
    [{}, store],
    [{ id: "" }, store],
    [{ id: 1 }, store],
    [event, undefined],
    [event, new Map()],
    [event, { begin: () => null }],
    [event, store, "handle"],
  ];
  for (const [it, at, handle = handledTwice] of mistakes) {
    await expect(once(it as typeof event, at as EventStore, handle as () => void)).rejects.toMatchObject({
      name: "WebhookVerificationError",
      code: "invalid_option",
      statusCode: 500,
    });
  }
});

test("a Map is a store, in two lines", async () => {
  const marks = new Map<string, string>();
  const store: EventStore = {
    begin: (id) => marks.get(id) ?? void marks.set(id, "begun"),
    end: (id, isHandled) => (isHandled ? marks.set(id, "handled") : marks.delete(id)),
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = once(event, store, () => promise);
  await expect(once(event, store, handledTwice)).rejects.toEqual(inProgress);
  resolve();
  expect(await first).toBe(true);
  expect(await once(event, store, handledTwice)).toBe(false);
});

test("of many at the same time one handles the event, and the others get 503 for a retry", async () => {
  const { store } = openStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const handle = vi.fn<() => Promise<void>>(() => promise);
  const all = Array.from({ length: 20 }, () => once(event, store, handle));
  const ends = Promise.allSettled(all);
  await expect(Promise.any(all.slice(1))).rejects.toMatchObject({ errors: Array(19).fill(inProgress) });
  resolve();
  expect((await ends).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(handle).toHaveBeenCalledTimes(1);
});

test("after a handler's error the event can be retried at once, and the error is thrown", async () => {
  const { store } = openStore();
  await expect(
    once(event, store, () => {
      throw new Error("the disk is full");
    }),
  ).rejects.toThrow("the disk is full");
  expect(await once(event, store, () => {})).toBe(true);
});

test("a handler's error is thrown even if the store fails after it", async () => {
  const { store } = openStore();
  const end = () => Promise.reject(new Error("the store is unavailable"));
  const fails = once(event, { ...store, end }, () => Promise.reject(new Error("the disk is full")));
  await expect(fails).rejects.toThrow("the disk is full");
  await expect(once({ id: "evt_02" }, { ...store, end }, () => {})).rejects.toThrow(
    "the store is unavailable",
  );
});

test("the mark of a crashed process has expired at the first retry, a minute later", async () => {
  const { store, clock } = openStore();
  void once(event, store, () => new Promise(() => {}));
  clock.seconds = 49;
  await expect(once(event, store, () => {})).rejects.toEqual(inProgress);
  clock.seconds = 60;
  expect(await once(event, store, () => {})).toBe(true);
});

test("if the store is unavailable, the event is not handled and can be retried", async () => {
  const begin = () => Promise.reject(new Error("the store is unavailable"));
  await expect(once(event, { begin, end: () => {} }, handledTwice)).rejects.toThrow(
    "the store is unavailable",
  );
});
