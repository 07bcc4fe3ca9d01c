import { expect, test } from "vitest";
import { printTable, widthOf } from "../src/terminal/table.ts";

const rows = [
  ["ada/support-reply", "12", "A reply to whoever writes to support, in their language"],
  ["ada/日本語", "3", "短い"],
];

test("a table stands in columns, whatever the letters", () => {
  const [first = "", second = ""] = printTable(rows, 100).split("\n");
  expect(widthOf(first.slice(0, first.indexOf("A reply")))).toBe(
    widthOf(second.slice(0, second.indexOf("短い"))),
  );
});

test.each([20, 40, 60])("a table is cut to a width of %i where it does not fit", (width) => {
  const lines = printTable(rows, width).split("\n");
  for (const line of lines)
    expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, "ada/support-reply".length + 2 + 2 + 2 + 8));
  expect(lines[0]).toContain("…");
});

test.each([
  "日本語のとても長い",
  "Привет, мир и все",
  "नमस्ते दुनिया यह लंबा",
  "𠮷𠮷𠮷𠮷𠮷𠮷",
  "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
  "é́́́abćdefghi",
  "abc𝒳𝒴𝒵defgh",
])("a cell is cut between characters, whatever the script: %s", (text) => {
  const [line = ""] = printTable([[text, "end"]], 8 + 2 + 3).split("\n");
  const kept = line.slice(0, line.indexOf("…"));
  expect(widthOf(line)).toBe(8 + 2 + 3);
  expect(text.startsWith(kept)).toBe(true);
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ index }) => index);
  expect(characters).toContain(kept.length);
});

test("a table that is piped has tabs, and every cell whole", () => {
  expect(printTable(rows, undefined)).toBe(rows.map((row) => row.join("\t")).join("\n"));
});

test("nor is the address of a prompt", () => {
  const rows = [["ada/customer-support-reply", "text", "A reply to support"]];
  expect(printTable(rows, 47)).toBe("ada/customer-support-reply  text  A reply to s…");
});

test("an id is never cut, for half of one is worth nothing", () => {
  const id = "whk_01jd0000000000000000000000";
  const [line = ""] = printTable([[id, "https://example.com/a-long-address/of-a-receiver"]], 50).split("\n");
  expect(line).toBe(`${id}  https://example.c…`);
});

test("ids that leave no room stand below their rows", () => {
  const id = "run_01jd0000000000000000000000";
  const rows = [
    ["run", "model", "dataset"],
    [id, "anthropic/claude-sonnet-4-5-20250929", "regressions@12"],
  ];
  expect(printTable(rows, 45).split("\n")).toEqual([
    "model                          dataset",
    "  run",
    "anthropic/claude-sonnet-4-5-…  regressions@12",
    `  ${id}`,
  ]);
  expect(printTable(rows, 58).split("\n")[1]).toBe(`${id}  anthropic/c…  regressions…`);
});

test("nor is a column that is to stay whole cut, which stands below where it leaves no room", () => {
  const rows = [
    ["make", "title", "maker"],
    ["a-fairly-long-name-of-a-make", "A title that is longer than what is left", "bob"],
  ];
  expect(printTable(rows, 50, [true]).split("\n")[1]).toBe(
    "a-fairly-long-name-of-a-make  A title that…  bob",
  );
  expect(printTable(rows, 40, [true]).split("\n").slice(2)).toEqual([
    "A title that is longer than what…  bob",
    "  a-fairly-long-name-of-a-make",
  ]);
});

test("a text that ends with an id or an address is cut as any other", () => {
  const id = "run_01jd0000000000000000000000";
  expect(printTable([[`about ${id}`, "x"]], 20)).toBe("about run_01jd00…  x");
  expect(printTable([["write it as ada/support-reply", "x"]], 20)).toBe("write it as ada/…  x");
  expect(printTable([["ada/support-reply@1.2 and more", "x"]], 20)).toBe("ada/support-repl…  x");
  expect(printTable([[`${id}0`, "x"]], 20)).toBe("run_01jd00000000…  x");
  expect(printTable([["ada/support-reply@stable", "x"]], 20)).toBe("x\n  ada/support-reply@stable");
});

test("rows may have fewer cells than others", () => {
  expect(printTable([["a", "b"], ["longer"]], 20)).toBe("a       b\nlonger");
});
