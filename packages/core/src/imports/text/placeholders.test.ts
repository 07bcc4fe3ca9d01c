import { isThorough } from "../../testing/growth.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTemplate } from "../../template/render.ts";
import { rewritePlaceholders, type Syntax } from "./placeholders.ts";

/** What our own reader sees in a rewritten text: literal text, and names in brackets. */
const seen = (text: string, syntax: Syntax) =>
  readTemplate(rewritePlaceholders(text, syntax).text)
    .map((piece) => (typeof piece === "string" ? piece : `<${piece.name}>`))
    .join("");

describe("a placeholder becomes one of ours", () => {
  test.each<[Syntax, string, string]>([
    ["claude", "Fix $ARGUMENTS, $1 and $ARGUMENTS[1].", "Fix <args>, <arg_1> and <arguments_1>."],
    ["claude", "$ARGUMENTSX costs $10, $1x, $5.0M or $2,000", "$ARGUMENTSX costs $10, $1x, $5.0M or $2,000"],
    ["vscode", "${input:name} and ${input:user name:Who?} in ${file}", "<name> and <user_name> in <file>"],
    ["vscode", "${input:1st} in ${input:2", "<_1st> in ${input:2"],
    ["vscode", "`${env.HOME}` in a script", "`${env.HOME}` in a script"],
    ["dollar", "Act as ${role} for ${first name}", "Act as <role> for <first_name>"],
    ["dollar", "Say ${日本}", "Say <value>"],
    ["brackets", "Hello [[name]][[_2]], [a link](x)", "Hello <name><_2>, [a link](x)"],
    [
      "brackets",
      "[[Some page]] [[paper]](x) ![[image]] \\[[no]] [[1]] {{no}}",
      "[[Some page]] [[paper]](x) ![[image]] \\[[no]] [[1]] {{no}}",
    ],
    ["brackets", "`[[a]]` ``[[b]]`c\n[[c]]`` `[[d]]\n\n[[e]]`", "`[[a]]` ``[[b]]`c\n[[c]]`` `<d>\n\n<e>`"],
    [
      "brackets",
      "````md\n```\n[[a]]\n```\n````\n[[b]]\n> ~~~\n> [[c]]\n> ~~~\n[[d]]\n```js```\n[[e]]\n```\n[[f]]",
      "````md\n```\n[[a]]\n```\n````\n<b>\n> ~~~\n> [[c]]\n> ~~~\n<d>\n```js```\n<e>\n```\n[[f]]",
    ],
    ["f-string", "{{literal}} {name} {user.name!r} {price:.2f}", "{literal} <name> <user> <price>"],
    ["f-string", "{{{{name}}}} and \\{name}", "{{name}} and \\ <name>"],
    ["mustache", "{{name}} {{{raw}}} {{&plain}} {{ user.name }}", "<name> <raw> <plain> <user_name>"],
    [
      "mustache",
      "{{#if x}}{{else}}{{/if}} {{this}} {{> part}}",
      "{{#if x}}{{else}}{{/if}} {{this}} {{> part}}",
    ],
    ["mustache", "{{this.a}} {{a.this.b}} {{elsewhere}} {{orelse}}", "<a> <a_this_b> <elsewhere> <orelse>"],
    ["mustache", "{{a&}}", "{{a&}}"],
    ["jinja", "{{- a-b -}}", "<a_b>"],
    ["dotprompt", "{{~a~}} {{&b}} {{c~d}}", "<a> <b> {{c~d}}"],
    ["jinja", "{% if x %}{{ name | upper }}{% endif %} {# no #}", "{% if x %}<name>{% endif %} "],
    ["gemini", "Do {{args}} with {{name}}", "Do <args> with {{name}}"],
    ["none", "Braces {{stay}}, \\{{too}} and {{{three}}}", "Braces {{stay}}, \\{{too}} and {{{three}}}"],
  ])("%s: %s", (syntax, text, wanted) => {
    expect(seen(text, syntax)).toBe(wanted);
  });

  test("with a name of 64 letters at most, and the first default that it has", () => {
    const { text, defaults } = rewritePlaceholders(
      `Act as \${a} \${a:One} \${a:Two} \${${"ﬃ".repeat(30)}}`,
      "dollar",
    );
    expect(text).toBe(`Act as {{a}} {{a}} {{a}} {{${"ffi".repeat(22).slice(0, 64)}}}`);
    expect([...defaults]).toEqual([["a", "One"]]);
    expect(rewritePlaceholders(`\${input:${"1".repeat(64)}}`, "vscode").text).toBe(`{{_${"1".repeat(63)}}}`);
  });

  test("and what has no equivalent is named with its line", () => {
    expect(rewritePlaceholders("a\n{{#if x}}\n{{ y | upper }}", "jinja").warnings).toEqual([
      "Line 2 of its text: {{#if x}} is logic of a template. It stays as text.",
      "Line 3 of its text: {{ y | upper }} loses what follows the name.",
    ]);
    expect(rewritePlaceholders("{{#a}}\n".repeat(21), "mustache").warnings).toHaveLength(20);
    expect(rewritePlaceholders("[[name]] and [[name]]", "brackets").warnings).toEqual([
      "What stood in [[ ]] is a variable now: {{name}}.",
    ]);
    expect(rewritePlaceholders("${first name} and ${naïve}", "dollar").warnings).toEqual([
      "Variables are renamed, since names have letters, digits and _ alone: first name to first_name, naïve to naive.",
    ]);
  });
});

const part = fc.constantFrom(
  "{{",
  "}}",
  "{",
  "}",
  "\\",
  "name",
  " ",
  "\n",
  "{{name}}",
  "\\{{",
  "a",
  "|",
  "%",
);

test("a text without variables reads as it stands, whatever its braces are", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(seen(text, "none")).toBe(text);
    }),
    { numRuns: isThorough ? 5_000 : 500 },
  );
});

test("a text of ours keeps its braces", () => {
  const { text } = rewritePlaceholders("{{a}}, \\{{b}} and [[c]]", "brackets", { isOurs: true });
  expect(text).toBe("{{a}}, \\{{b}} and {{c}}");
});

test("megabytes of half a placeholder are read in one pass", () => {
  for (const [syntax, text] of [
    ["mustache", "{{".repeat(500_000)],
    ["jinja", "{%".repeat(500_000)],
    ["f-string", "{a".repeat(500_000)],
    ["vscode", "${input:".repeat(120_000)],
    ["dollar", "${a".repeat(300_000)],
    ["brackets", "[[a".repeat(300_000)],
    ["brackets", "```\n~~~ ".repeat(100_000)],
    ["brackets", "` `` ``` ````\n".repeat(70_000)],
    ["brackets", Array.from({ length: 1_400 }, (_, n) => "`".repeat(n)).join(" ")],
    ["dollar", `${"`".repeat(300_000)}x\``],
    ["claude", "$ARGUMENTS".repeat(100_000)],
  ] as const)
    expect(rewritePlaceholders(text, syntax).warnings.length).toBeLessThan(30);
});
