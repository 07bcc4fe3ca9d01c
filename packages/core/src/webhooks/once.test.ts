import { expect, test, vi } from "vitest";
import { type EventStore, once } from "./index.ts";

/** A store as Redis would be one: marks that run out, by a clock that the test turns. */
function openStore() {
  const marks = new Map<string, { mark: string; until: number }>();
  const clock = { seconds: 0 };
  const store: EventStore = {
    begin: async (id, seconds) => {
      const held = marks.get(id);
      if (held && held.until > clock.seconds) return held.mark;
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
  throw new Error("it is handled once more");
};
const underWay = expect.objectContaining({ statusCode: 503, message: expect.stringContaining("evt_01") });

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

test("an event without an id, or what is no store, is a mistake that is told of before anything is handled", async () => {
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
  await expect(once(event, store, handledTwice)).rejects.toEqual(underWay);
  resolve();
  expect(await first).toBe(true);
  expect(await once(event, store, handledTwice)).toBe(false);
});

test("of many at the same time one handles, and the others are told to come again: nothing was handled yet", async () => {
  const { store } = openStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const handle = vi.fn<() => Promise<void>>(() => promise);
  const all = Array.from({ length: 20 }, () => once(event, store, handle));
  const ends = Promise.allSettled(all);
  await expect(Promise.any(all.slice(1))).rejects.toMatchObject({ errors: Array(19).fill(underWay) });
  resolve();
  expect((await ends).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(handle).toHaveBeenCalledTimes(1);
});

test("what a handler could not do may be tried again at once, and its own error is told", async () => {
  const { store } = openStore();
  await expect(
    once(event, store, () => {
      throw new Error("the disk is full");
    }),
  ).rejects.toThrow("the disk is full");
  expect(await once(event, store, () => {})).toBe(true);
});

test("a handler's error is told even where its store fails after it", async () => {
  const { store } = openStore();
  const end = () => Promise.reject(new Error("the store is away"));
  const fails = once(event, { ...store, end }, () => Promise.reject(new Error("the disk is full")));
  await expect(fails).rejects.toThrow("the disk is full");
  await expect(once({ id: "evt_02" }, { ...store, end }, () => {})).rejects.toThrow("the store is away");
});

test("what a crash left under way has run out when the first retry comes, a minute later", async () => {
  const { store, clock } = openStore();
  void once(event, store, () => new Promise(() => {}));
  clock.seconds = 49;
  await expect(once(event, store, () => {})).rejects.toEqual(underWay);
  clock.seconds = 60;
  expect(await once(event, store, () => {})).toBe(true);
});

test("a store that is away lets nothing through: the event comes again", async () => {
  const begin = () => Promise.reject(new Error("the store is away"));
  await expect(once(event, { begin, end: () => {} }, handledTwice)).rejects.toThrow("the store is away");
});
