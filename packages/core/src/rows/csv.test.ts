import { isThorough } from "../testing/growth.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CsvRow, csvRows } from "./csv.ts";
import { maxRow, RowError, Rows } from "./rows.ts";

/** Reads a text that comes in pieces of this size. */
function readCsv(text: string, size = text.length): CsvRow[] {
  const rows = csvRows();
  const read: CsvRow[] = [];
  for (let at = 0; at < text.length; at += size) read.push(...rows.add(text.slice(at, at + size)));
  return [...read, ...rows.add("", { isLast: true })];
}
const rowsOf = (text: string, size?: number) => readCsv(text, size).map(({ cells }) => cells);
const problemIn = (text: string, size?: number) => {
  try {
    return rowsOf(text, size);
  } catch (error) {
    return error instanceof RowError ? [error.line, error.message] : error;
  }
};

test("every table is read as it was written, whatever its cells hold and its lines end with", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('"', ",", "\n", "\r\n", "\r", '""', " a", ""));
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      rows,
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.boolean(),
      fc.nat(9),
      (table, end, isEnded, size) => {
        const lines = table.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
        const text = lines.join(end) + (isEnded ? end : "");
        expect(rowsOf(text)).toEqual(table);
        expect(readCsv(text, size + 1)).toEqual(readCsv(text));
      },
    ),
  );
});

test("each row has the number of its first line, and an empty line has no cells", () => {
  const rows = readCsv('a,b\r\n\r\n"1\n2","3\r\n4"\nc,d\n');
  expect(rows).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: [] },
    { line: 3, cells: ["1\n2", "3\r\n4"] },
    { line: 6, cells: ["c", "d"] },
  ]);
});

test("a cell without quotes is text as it is, and a row can end with an empty cell", () => {
  expect(rowsOf('5" nail, x ,=1+1\n,,\na,')).toEqual([
    ['5" nail', " x ", "=1+1"],
    ["", "", ""],
    ["a", ""],
  ]);
  expect(rowsOf("")).toEqual([]);
});

test("any text reads alike in pieces of any size, as far as it is CSV", () => {
  const part = fc.constantFrom('"', '""', ",", "\n", "\r", "\r\n", "a", " ", "\u2028");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (parts, size) => {
      const text = parts.join("");
      expect(problemIn(text, size)).toEqual(problemIn(text));
    }),
    { numRuns: isThorough ? 2_000 : 300 },
  );
});

test("a long row in small pieces is looked for a few times, and not once a piece", () => {
  let looked = 0;
  const rows = new Rows<never>(() => {
    looked += 1;
    return undefined;
  });
  for (let piece = 0; piece < 1_000; piece += 1) expect([...rows.add("x".repeat(1_000))]).toEqual([]);
  expect(looked).toBeLessThan(15);
});

test("a row of a mebibyte is read, and a longer one refused before it has ended", () => {
  const cell = `"${'""'.repeat(maxRow / 2 - 2)}"`;
  expect(rowsOf(`${cell}\na`, 16_384)).toEqual([['"'.repeat(maxRow / 2 - 2)], ["a"]]);
  for (const text of [`a\n"${'"'.repeat(3 * maxRow)}`, `a\n${"x".repeat(3 * maxRow)}\nb`])
    expect(problemIn(text, 16_384)).toEqual([2, "A row can take 1 MiB of a file"]);
  const rows = csvRows();
  const add = () => [...rows.add("x".repeat(16_384))];
  expect(() => {
    for (let piece = 0; piece < 200; piece += 1) add();
  }).toThrow(RowError);
});

test("what is no CSV is refused with its line", () => {
  expect(problemIn('a\n"b\nc')).toEqual([2, "A quote opens here and never closes"]);
  expect(problemIn('a\n"b\nc"d')).toEqual([3, expect.stringMatching(/^Text follows a closing quote/)]);
  for (const commas of [200, 100_000])
    expect(problemIn(`a\n${",".repeat(commas)}`)).toEqual([2, "A row can have 200 cells"]);
  expect(rowsOf(",".repeat(199))).toEqual([Array(200).fill("")]);
});
