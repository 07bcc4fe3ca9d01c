import { describe, expect, test } from "vitest";
import { clientOf, stubRegistry } from "../../test/registry-stub.ts";

stubRegistry();

describe("an address", () => {
  test.each(["ada", "ada/reply@", "Ada/reply", "ada/reply@-x"])(
    "like %j is refused before anything is sent",
    (ref) => {
      expect(() => clientOf().prompt(ref)).toThrow(SyntaxError);
    },
  );

  test.each([
    ["ada/reply@3", { label: "production" }],
    ["ada/reply", { label: "production", version: 3 }],
  ])("that names two versions is refused: %j %j", (ref, options) => {
    expect(() => clientOf().prompt(ref, options)).toThrow("give one label or one version");
  });

  test("of a label that no server has is refused too", () => {
    expect(() => clientOf().prompt("ada/reply", { label: "a b" })).toThrow(SyntaxError);
  });
});
