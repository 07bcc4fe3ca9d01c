import { expect, test } from "vitest";
import { inTurn } from "./in-turn.ts";

/** Work that is slow on every machine. */
function toil(): void {
  const until = performance.now() + 11;
  while (performance.now() < until);
}

test("the event loop runs between pieces of slow work, whoever does them", async () => {
  const events: string[] = [];
  const beside = new Promise<void>((resolve) => {
    setTimeout(() => {
      events.push("beside");
      resolve();
    });
  });
  const work = ["first", "second", "third"].map((name) =>
    inTurn(() => {
      toil();
      events.push(name);
    }),
  );
  await Promise.all([beside, ...work]);
  expect(events).toEqual(["first", "beside", "second", "third"]);
});

test("work returns its result, and a failure does not block other work", async () => {
  const failing = inTurn(() => {
    toil();
    throw new Error("no");
  });
  const working = inTurn(() => 42);
  await expect(failing).rejects.toThrow("no");
  expect(await working).toBe(42);
});
