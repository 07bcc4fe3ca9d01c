import { describe, expect, test } from "vitest";
import { proveCrash } from "../test/crash/crash.ts";

// The long form is `npm run prove -- crash`: hundreds of kills, thousands of events, one worker and two.
describe("while a worker is killed, one is frozen, and PostgreSQL is killed once", () => {
  test("every event reaches its webhooks, and nothing is counted twice", async () => {
    const { problems, figures } = await proveCrash({
      workers: 2,
      kills: 1,
      events: 30,
      seed: 1,
      isLong: false,
    });
    expect(problems).toEqual([]);
    expect(figures).toMatchObject({ kills: 1, restarts: "killed" });
  });
});
