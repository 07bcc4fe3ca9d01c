import { describe, expect, test } from "vitest";
import type { Context } from "../settings/context.ts";
import {
  deliveriesArgument,
  deliveryArgument,
  eventsOption,
  promptsOption,
  targetOption,
} from "./arguments.ts";
import { isLocal } from "./forward.ts";
import { readSecret } from "./secret.ts";
import { toSecond } from "./texts.ts";

const id = `dlv_${"0".repeat(26)}`;

test("a delivery is named by its id, and by nothing around it", () => {
  expect(deliveryArgument(id)).toBe(id);
  expect(deliveriesArgument(id, ["dlv_first"])).toEqual(["dlv_first", id]);
  for (const text of [`x${id}`, `${id}0`, `${id}\n`, id.slice(0, -1), id.replace("0", "u")])
    expect(() => deliveryArgument(text)).toThrow("Write a delivery id");
});

test("events and prompts are names, or all", () => {
  expect([eventsOption("all"), eventsOption("a, b"), eventsOption("a")]).toEqual(["all", ["a", "b"], ["a"]]);
  for (const text of ["", "a,", "a,,b"])
    expect(() => eventsOption(text)).toThrow("Write event names, separated by commas, or all.");
  expect([promptsOption("a"), promptsOption("b", ["a"])]).toEqual([["a"], ["a", "b"]]);
  expect([promptsOption("all", ["a"]), promptsOption("b", "all")]).toEqual(["all", "all"]);
});

describe("where to forward to", () => {
  test.each([
    ["localhost:3000/hook", "http://localhost:3000/hook"],
    ["HTTPS://a.test/x", "https://a.test/x"],
    ["a.test/?next=https://b.test/", "http://a.test/?next=https://b.test/"],
  ])("is %s as %s", (text, address) => {
    expect(targetOption(text).href).toBe(address);
  });

  test.each([
    "ftp://a.test",
    "xhttp://a.test",
    "httpx://a.test",
    "http://me@a.test",
    "http://:word@a.test",
    "http://",
  ])("is never %s", (text) => {
    expect(() => targetOption(text)).toThrow("Write an address such as http://localhost:3000/hook.");
  });

  test.each([
    ["http://localhost", true],
    ["http://LOCALHOST:3000", true],
    ["http://a.localhost", true],
    ["http://127.0.0.1", true],
    ["http://127.1.2.3:80", true],
    ["http://[::1]:3000", true],
    ["http://xlocalhost", false],
    ["http://localhost.test", false],
    ["http://127.0.0.1.a.test", false],
    ["http://a.test", false],
    ["http://10.0.0.1", false],
    ["http://[::2]", false],
    ["http://a.localhost.test", false],
  ])("is %s, of which it is %s that it leads to this machine", (address, is) => {
    expect(isLocal(new URL(address))).toBe(is);
  });
});

test("a secret is whsec_ and signs, and nothing else", async () => {
  const read = (secret: string) =>
    readSecret({ env: { PROMPTREG_WEBHOOK_SECRET: secret } } as unknown as Context, undefined);
  expect(await read("whsec_a+/=")).toBe("whsec_a+/=");
  for (const secret of ["whsec_", "xwhsec_a", "whsec_a b", "whsec_ä", "a"])
    await expect(read(secret)).rejects.toThrow("Write the whole secret, whsec_…");
});

test("a time is told to the second", () => {
  expect(toSecond("2026-11-20T09:30:00.123Z")).toBe("2026-11-20T09:30:00Z");
  expect(toSecond("2026-11-20T09:30:00Z")).toBe("2026-11-20T09:30:00Z");
});
