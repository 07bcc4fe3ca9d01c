import { expect, test } from "vitest";
import { did, inLine } from "./notification.ts";

test("what people wrote is one line of a notification, and at most 280 characters of it", () => {
  expect(inLine(" a\r\n\u0007 b\u2028c  d ")).toBe("a b c d");
  expect(inLine("😀".repeat(280))).toBe("😀".repeat(280));
  expect(inLine("😀".repeat(281))).toBe(`${"😀".repeat(279)}…`);
});

test("an event names who did it and why, if that is known", () => {
  const alice = { handle: "alice" } as Parameters<typeof did>[1];
  expect(did("Committed", alice, "Ask\nfirst")).toBe("Committed by alice: Ask first");
  expect(did("Committed", alice)).toBe("Committed by alice.");
  expect(did("Committed", null, "Ask first")).toBe("Committed: Ask first");
});
