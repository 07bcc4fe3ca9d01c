import { expect, test } from "vitest";
import { rateLimits } from "./rate-limits.ts";

test("the limits of a server that was told no others", () => {
  const shown = Object.entries(rateLimits).map(
    ([name, { per, quota, windowSeconds }]) => `${name} ${quota}/${windowSeconds} per ${per}`,
  );
  expect(shown).toEqual([
    "ip 6000/60 per ip",
    "anon 120/60 per ip",
    "read 6000/60 per token",
    "write 1200/60 per token",
    "evals 120/60 per token",
    "search 30/60 per token",
    "ping 10/60 per target",
    "auth 20/600 per ip",
  ]);
});
