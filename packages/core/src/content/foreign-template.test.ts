import { expect, test } from "vitest";
import { foreignTemplates } from "./foreign-template.ts";

const stays = "Nothing fills it in here: it stays as text.";

test.each([
  ["{% if x %}", `{% if x %} is a tag of Jinja or Liquid. ${stays}`],
  ["<%= name %>", `<%= name %> is a tag of EJS or ERB. ${stays}`],
  ["{{#if x}}", `{{#if x}} is logic of Handlebars or Mustache. ${stays}`],
  ["{{/each}}", `{{/each}} is logic of Handlebars or Mustache. ${stays}`],
  ["{{> header}}", `{{> header}} is logic of Handlebars or Mustache. ${stays}`],
  ["{{ name | upper }}", `{{ name | upper }} is a filter of Jinja or Liquid. ${stays}`],
  [
    "{{else}}",
    "{{else}} is logic of Handlebars or Mustache. Here it is a variable: write \\{{else}} if it is text.",
  ],
  [
    "{{ this }}",
    "{{ this }} is logic of Handlebars or Mustache. Here it is a variable: write \\{{ this }} if it is text.",
  ],
  [
    "{{{html}}}",
    "{{{html}}} is a value of Handlebars that is not escaped. Here it is a variable: write \\{{{html}}} if it is text.",
  ],
])("%s is named with its line, and what becomes of it", (mark, sentence) => {
  expect(foreignTemplates(`First\nthen ${mark} and`, 4)).toEqual([`Line 5: ${sentence}`]);
});

test.each([
  "{{name}}",
  "\\{{else}}",
  "\\{{#if}}",
  "{{ a b }}",
  "{ %x% }",
  "100 % > 5 < %",
  "a || b",
  "{{a}} | {{b}}",
  "{{}}",
  "{{else}}}",
  "{{{#x}}",
  "{{{a | b}}",
  "{{a | b}}}",
])("%s is none", (text) => {
  expect(foreignTemplates(text, 1)).toEqual([]);
});

test("of many the first five are named", () => {
  const sentences = foreignTemplates("{{#if}}\n".repeat(21), 1);
  expect(sentences).toHaveLength(6);
  expect(sentences.slice(-2)).toEqual([
    `Line 5: {{#if}} is logic of Handlebars or Mustache. ${stays}`,
    "There are 16 more marks of other template languages.",
  ]);
  expect(foreignTemplates("\n{{#if}}".repeat(5), 1).map((sentence) => sentence.slice(0, 6))).toEqual(
    [2, 3, 4, 5, 6].map((line) => `Line ${line}`),
  );
});

test("megabytes of half a mark are read in one pass", () => {
  for (const text of [
    "{{".repeat(100_000),
    "{%".repeat(100_000),
    "<%".repeat(100_000),
    "{{a|".repeat(60_000),
  ])
    expect(foreignTemplates(text, 1)).toEqual([]);
});
