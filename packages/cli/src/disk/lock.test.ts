import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isThorough } from "../../../core/src/testing/growth.ts";
import { withLock } from "./lock.ts";

const folder = await mkdtemp(join(tmpdir(), "promptreg-"));
afterAll(() => rm(folder, { recursive: true }));
const file = join(folder, "config.json");
const here = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
/** No process has so great a number. */
const dead = `4194999-${here}`;
/** This one runs, and has nothing to do with the lock. */
const other = `${process.ppid}-${here}`;

const leave = async (holder: string, ageMs: number) => {
  await writeFile(`${file}.lock`, holder);
  const made = new Date(Date.now() - ageMs);
  await utimes(`${file}.lock`, made, made);
};

describe("a lock that a crash left", () => {
  beforeEach(() => rm(`${file}.lock`, { force: true }));
  afterEach(() => vi.useRealTimers());

  test.each([
    ["by a process that is gone", dead, 0],
    ["empty, since it died while it made it", "", 4_000],
    ["with a number that another process has by now", other, 61_000],
    ["on another machine", "12-00000000", 61_000],
  ])("%s does not lock for ever", async (_, holder, ageMs) => {
    await leave(holder, ageMs);
    expect(await withLock(file, "profiles", async () => "done")).toBe("done");
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ["of a process that runs", other],
    ["that is just being made", ""],
  ])("is not mistaken for one %s", async (_, holder) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await leave(holder, 0);
    const waiting = withLock(file, "profiles", async () => "done");
    for (const laterMs of [2_900, 200]) {
      expect(await Promise.race([waiting, delay(50, "waits")])).toBe("waits");
      vi.setSystemTime(Date.now() + laterMs);
    }
    const outcome = holder === "" ? "done" : "Another command is writing the profiles.";
    expect(await waiting.catch((error: Error) => error.message)).toContain(outcome);
  });

  test("is cleared away by one of those that wait, and never the lock of another", async () => {
    for (let round = 0; round < (isThorough ? 200 : 5); round += 1) {
      await leave(dead, 0);
      let holders = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, (holders += 1));
        await new Promise((resolve) => setTimeout(resolve, 1));
        holders -= 1;
      };
      await Promise.all(Array.from({ length: 8 }, () => withLock(file, "profiles", work)));
      expect(most).toBe(1);
    }
  });
});
