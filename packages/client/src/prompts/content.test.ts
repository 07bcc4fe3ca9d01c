import { describe, expect, test } from "vitest";
import { clientOf, stubRegistry } from "../../test/registry-stub.ts";

stubRegistry();

describe("an address", () => {
  test.each(["ada", "ada/reply@", "Ada/reply", "ada/reply@-x"])(
    "such as %j is rejected before a request",
    (ref) => {
      expect(() => clientOf().prompt(ref)).toThrow(SyntaxError);
    },
  );

  test.each([
    ["ada/reply@3", { label: "production" }],
    ["ada/reply", { label: "production", version: 3 }],
  ])("that names two versions is rejected: %j %j", (ref, options) => {
    expect(() => clientOf().prompt(ref, options)).toThrow("give one label or one version");
  });

  test("with a malformed label is rejected too", () => {
    expect(() => clientOf().prompt("ada/reply", { label: "a b" })).toThrow(SyntaxError);
  });
});
