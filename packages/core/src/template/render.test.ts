import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeholders, RenderError, render } from "./render.ts";
import { requiredText, type Variable } from "./variable.ts";
import { codePoint } from "../testing/code-point.ts";

const variable = (fields: Partial<Variable>): Variable => ({ ...requiredText("value"), ...fields });

function refusal(work: () => unknown): RenderError {
  try {
    work();
  } catch (error) {
    if (error instanceof RenderError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("the placeholder syntax", () => {
  test.each([
    ["{{name}}", "Ada"],
    ["{{ \tname }}", "Ada"],
    ["{{name}}{{name}}", "AdaAda"],
    ["{{{name}}}", "{Ada}"],
    ["\\{{name}}", "{{name}}"],
    ["\\{{ {{name}}", "{{ Ada"],
    ["{{}} {{ }} {{1x}} {{na me}} {{#if name}} {name} {{na\nme}}", undefined],
    ["a $& $1 {{name}} $$", "a $& $1 Ada $$"],
  ])("%j is filled in as %j", (template, expected) => {
    const values = expected?.includes("Ada") ? { name: "Ada" } : {};
    expect(render(template, [], values).text).toBe(expected ?? template);
  });

  test("a name has at most 64 characters", () => {
    expect(placeholders(`{{${"n".repeat(64)}}} {{${"m".repeat(65)}}}`)).toEqual(["n".repeat(64)]);
  });

  test("names are listed once, in order of appearance", () => {
    expect(placeholders("{{b}} {{a}} \\{{c}} {{b}}")).toEqual(["b", "a"]);
  });

  test("names that objects inherit are ordinary names", () => {
    const inherited = ["constructor", "__proto__", "toString"];
    const template = inherited.map((name) => `{{${name}}}`).join();
    expect(refusal(() => render(template, [])).missing).toEqual(inherited);
    const values = JSON.parse('{"constructor": 1, "__proto__": 2, "toString": 3}');
    expect(render(template, [], values).text).toBe("1,2,3");
  });

  test("text that looks like a quarter of a million beginnings is scanned in linear time", () => {
    for (const piece of ["{{", "{{ ", "{{a ", "{ ", "\\{", "{{\t", `{{${"a".repeat(70)}`, " ", "{{ a }"]) {
      const template = piece.repeat(262_144 / piece.length);
      expect(placeholders(template)).toEqual([]);
    }
    expect(placeholders(`{{${" ".repeat(262_144)}a${" ".repeat(262_144)}}`)).toEqual([]);
  });
});

describe("values", () => {
  test.each([
    ["text", "as it is", "as it is"],
    ["text", 1e21, "1e+21"],
    ["text", -0, "0"],
    ["text", false, "false"],
    ["number", 0.1, "0.1"],
    ["number", "12345678901234567890", "12345678901234567890"],
    ["number", 9007199254740993n, "9007199254740993"],
    ["boolean", true, "true"],
    ["boolean", "false", "false"],
    ["json", { a: [1, "x", null] }, '{"a":[1,"x",null]}'],
    ["json", "text", '"text"'],
  ] as const)("%s prints %o as %s", (type, value, text) => {
    expect(render("{{value}}", [variable({ type })], { value }).text).toBe(text);
  });

  test.each([
    [{ type: "number" }, "1e999", "must be a number"],
    [{ type: "number" }, "", "must be a number"],
    [{ type: "number" }, "0x10", "must be a number"],
    [{ type: "number" }, "1.", "must be a number"],
    [{ type: "number" }, "1e", "must be a number"],
    [{ type: "number" }, true, "must be a number"],
    [{ type: "number" }, Number.NaN, "has no text form"],
    [{ type: "number", min: 2 }, 1, "must be at least 2"],
    [{ type: "number", max: 2 }, "3", "must be at most 2"],
    [{ type: "boolean" }, "yes", "must be true or false"],
    [{ type: "enum", options: ["a", "b"] }, "c", "must be one of: a, b"],
    [{ type: "enum", options: "abcdefghij".split("") }, "c ", "must be one of: a, b, c, d, e, f, g, h, i, j"],
    [
      { type: "enum", options: "abcdefghijkl".split("") },
      "c ",
      "must be one of: a, b, c, d, e, f, g, h, i, j and 2 more",
    ],
    [{ type: "text" }, { a: 1 }, "must be text"],
    [{ type: "text", minLength: 3 }, "ab", "must have at least 3 characters"],
    [{ type: "multiline", maxLength: 1 }, "ab", "must have at most 1 characters"],
    [{ type: "json" }, () => 1, "has no text form"],
    [{ type: "json" }, { big: 1n }, "has no text form"],
  ] as const)("%o refuses %o", (fields, value, problem) => {
    const error = refusal(() => render("{{value}}", [variable(fields as Partial<Variable>)], { value }));
    expect(error.code).toBe("invalid_values");
    expect(error.invalid).toEqual([{ name: "value", problem }]);
  });

  test.each([
    ["number", 2],
    ["number", "2.0"],
    ["text", "ab"],
    ["multiline", "a\n"],
  ] as const)("a bound is within: %s %o", (type, value) => {
    const bounded = variable({ type, min: 2, max: 2, minLength: 2, maxLength: 2 });
    expect(render("{{value}}", [bounded], { value }).text).toBe(value.toString());
  });

  test("an absent value is the default, or nothing where it is optional", () => {
    const variables = [variable({ name: "a", default: "A" }), variable({ name: "b", required: false })];
    expect(render("[{{a}}{{b}}]", variables, { a: undefined, b: null }).text).toBe("[A]");
  });

  test("an error lists every missing, unknown and ill-fitting name, and no value", () => {
    const variables = [variable({ name: "n", type: "number" })];
    const error = refusal(() => render("{{n}} {{diff}}", variables, { n: "secret", dif: "secret" }));
    expect(error).toMatchObject({ missing: ["diff"], unknown: ["dif"], invalid: [{ name: "n" }] });
    expect(error.message).toBe(
      "Give a value for diff. The prompt has no variable dif; check the spelling. n must be a number.",
    );
  });

  test("a declared variable that does not occur needs no value", () => {
    expect(render("text", [variable({})]).text).toBe("text");
  });
});

describe("lenient rendering", () => {
  test("leaves names out at the cost of filling them in", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
    const template = names.map((name) => `{{${name}}}`).join("");
    const given = Object.fromEntries(names.map((name) => [name, "x"]));
    expect(
      timesAs(
        () => render(template, [], {}, lenient),
        () => render(template, [], given),
      ),
    ).toBeLessThan(5);
  });

  const lenient = { strict: false };

  test("keeps what has no value as it stands, lists it, and ignores unknown names", () => {
    expect(render("{{ a }} {{b}}", [], { b: 1, c: 2 }, lenient)).toEqual({
      text: "{{ a }} 1",
      missing: ["a"],
    });
  });

  test("prints values that break a rule", () => {
    expect(render("{{value}}", [variable({ type: "number" })], { value: "many" }, lenient).text).toBe("many");
  });

  test("treats a value without a text form as missing", () => {
    const value: unknown[] = [];
    value.push(value);
    expect(render("{{value}}", [], { value }, lenient).missing).toEqual(["value"]);
  });
});

/** How many times as long one work takes as another: the best of three each, in turn. */
function timesAs(work: () => void, other: () => void): number {
  const tookMs = (act: () => void) => {
    const startedMs = performance.now();
    act();
    return performance.now() - startedMs;
  };
  const rounds = Array.from({ length: 3 }, () => [tookMs(work), tookMs(other)] as const);
  return Math.min(...rounds.map(([ms]) => ms)) / Math.min(...rounds.map(([, ms]) => ms));
}

test("values are never scanned again, and every text survives", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint }),
      fc.constantFrom("", "{{b}}", "\\{{", "{{", "}}"),
      (any, marker) => {
        const a = marker + any + marker;
        expect(render("<{{a}}|{{b}}>", [], { a, b: "{{a}}" }).text).toBe(`<${a}|{{a}}>`);
      },
    ),
  );
});

test("text without placeholders and escapes comes back as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", "\\", " ", "a", "\n") }), (text) => {
      fc.pre(placeholders(text).length === 0 && !text.includes("\\{{"));
      expect(render(text, []).text).toBe(text);
    }),
  );
});

test("a small template cannot repeat a long value without end", () => {
  const error = refusal(() => render("{{a}}".repeat(50_000), [], { a: "x".repeat(10_000) }));
  expect(error).toMatchObject({
    name: "RenderError",
    code: "payload_too_large",
    message: "The filled prompt is longer than 16 Mi characters.",
  });
});
