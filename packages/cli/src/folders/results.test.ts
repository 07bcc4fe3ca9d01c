import { describe, expect, test } from "vitest";
import { apiError } from "@promptreg/core/errors";
import { CheckError, InputError } from "../errors.ts";
import { gatherResults, refuseAll } from "./results.ts";

const answered = (status: number, code = "some_code") =>
  Object.assign(apiError("forbidden"), { status, code });

describe("of many folders", () => {
  test.each([
    [new InputError("no"), 6],
    [new CheckError("no"), 9],
    [answered(404), 4],
    [answered(409), 5],
    [answered(403), 3],
    [answered(500), 7],
  ])("one that fails with %s leaves the others alone", (error, exitCode) => {
    const results = gatherResults<{ folder: string }>(["a", "b", "c"]);
    results.done({ folder: "c" });
    results.refuse("b", error, "ada/b");
    expect(results.soFar()).toMatchObject([
      { folder: "b", ref: "ada/b", status: "refused", exitCode },
      { folder: "c" },
    ]);
    expect(results.exitCode()).toBe(exitCode);
  });

  test.each([
    new Error("a fault of ours"),
    "no error",
    answered(401),
    answered(502),
    answered(503),
    answered(504),
    answered(403, "token_scope"),
    answered(403, "account_suspended"),
  ])("all end with %s", (error) => {
    const results = gatherResults<{ folder: string }>(["a"]);
    let thrown: unknown;
    try {
      results.refuse("a", error);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBe(error);
    expect([results.soFar(), results.exitCode()]).toEqual([[], 0]);
  });

  test("the first that was refused, in their order, says the exit code", () => {
    const results = gatherResults<{ folder: string }>(["a", "b"]);
    results.refuse("b", answered(409));
    results.refuse("a", new InputError("no"));
    expect(results.soFar()).toMatchObject([
      { folder: "a", ref: null, exitCode: 6 },
      { folder: "b", ref: null, exitCode: 5 },
    ]);
    expect(results.exitCode()).toBe(6);
  });
});

test("a single folder that is refused ends the command", () => {
  expect(() => refuseAll("a", new InputError("no"))).toThrow("no");
});
