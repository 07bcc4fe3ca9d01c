import { expect, test } from "vitest";
import { destinationOf } from "../src/settings/profiles.ts";

const config = {
  current: "work",
  profiles: {
    work: { url: "https://work.example", token: "prt_work" },
    home: { url: "https://home.example/base", token: "prt_home" },
  },
};

test.each([
  ["the current profile", {}, {}, "https://work.example", "prt_work"],
  ["a named profile", {}, { profile: "home" }, "https://home.example/base", "prt_home"],
  ["a profile by variable", { PROMPTREG_PROFILE: "home" }, {}, "https://home.example/base", "prt_home"],
  ["a variable's token", { PROMPTREG_TOKEN: "prt_env" }, {}, "https://work.example", "prt_env"],
  ["no token for another server", {}, { url: "https://evil.example" }, "https://evil.example", undefined],
  [
    "no token for a variable's server",
    { PROMPTREG_URL: "http://a.example" },
    {},
    "http://a.example",
    undefined,
  ],
  ["a path of the same server", {}, { url: "https://work.example/x" }, "https://work.example/x", "prt_work"],
  [
    "the profile that was named, whatever the environment says",
    { PROMPTREG_URL: "https://a.example", PROMPTREG_TOKEN: "prt_env" },
    { profile: "home" },
    "https://home.example/base",
    "prt_home",
  ],
])("a command goes to %s", (_, env, choice, url, token) => {
  expect(destinationOf(env, choice, config)).toMatchObject({ url, token });
});

test("without a profile it goes to this machine, as nobody", () => {
  expect(destinationOf({}, {}, { profiles: {} })).toEqual({
    url: "http://127.0.0.1:8787",
    urlSource: "default",
    profile: undefined,
    profileSource: undefined,
    token: undefined,
    source: undefined,
  });
});

test("a profile that is not there is told, with those that are", () => {
  expect(() => destinationOf({}, { profile: "wrok" }, config)).toThrow(
    "Unknown profile wrok. Profiles: work, home.",
  );
  expect(() => destinationOf({}, { profile: "constructor" }, config)).toThrow("Unknown profile constructor");
});
