import { rateLimits } from "@promptreg/core";
import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { DatabaseSetupError } from "./database/connection.ts";

const limitsOf = (text?: string) => readConfig({ RATE_LIMITS: text }).rateLimits;

describe("RATE_LIMITS", () => {
  test("may be left out: the limits that are built in hold", () => {
    expect(limitsOf()).toEqual(rateLimits);
    expect(limitsOf("")).toEqual(rateLimits);
  });

  test("puts other numbers in place of some", () => {
    expect(limitsOf("read=10000/30, anon=0/86400,")).toEqual({
      ...rateLimits,
      read: { per: "token", quota: 10_000, windowSeconds: 30 },
      anon: { per: "ip", quota: 0, windowSeconds: 86_400 },
    });
  });

  test("can do without any", () => {
    expect(limitsOf("off")).toBeNull();
  });

  test.each([
    ["read", /"read" is not of the form policy=requests\/seconds/],
    ["anon=30/60,read=10", /"read=10" is not of the form/],
    ["read=-1/60", /"read=-1\/60" is not of the form/],
    ["read=1e3/60", /"read=1e3\/60" is not of the form/],
    ["read=off", /"read=off" is not of the form/],
    ["anon=30/60,reed=10/60", /"reed=10\/60" names no policy\. There are ip, anon, read/],
    ["constructor=1/1", /"constructor=1\/1" names no policy/],
    ["read=10/0", /"read=10\/0" is out of range/],
    ["read=10/86401", /"read=10\/86401" is out of range/],
    ["read=1000001/60", /"read=1000001\/60" is out of range/],
  ])("%s is refused, naming the part that is wrong", (text, message) => {
    expect(() => limitsOf(text)).toThrow(message);
    expect(() => limitsOf(text)).toThrow(DatabaseSetupError);
  });
});

describe("PROMPTREG_UNSAFE_WEBHOOKS", () => {
  const given = (value?: string, nodeEnv?: string) =>
    readConfig({ PROMPTREG_UNSAFE_WEBHOOKS: value, NODE_ENV: nodeEnv }).allowUnsafeWebhooks;

  test.each([undefined, "", "0"])("is off for %j, in production too", (value) => {
    expect([given(value), given(value, "production")]).toEqual([false, false]);
  });

  test.each([undefined, "", "development", "test"])("is on for 1 where NODE_ENV is %j", (nodeEnv) => {
    expect(given("1", nodeEnv)).toBe(true);
  });

  test("is refused in production", () => {
    expect(() => given("1", "production")).toThrow(/PROMPTREG_UNSAFE_WEBHOOKS=1 .* NODE_ENV is production/);
  });

  test.each(["true", "yes", "on", " 1", "2", "01"])("is not guessed at: %j is refused", (value) => {
    expect(() => given(value)).toThrow(DatabaseSetupError);
  });
});
