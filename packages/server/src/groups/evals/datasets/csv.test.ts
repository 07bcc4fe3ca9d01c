import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvError, readCsv } from "./csv.ts";

const rowsOf = (text: string) => [...readCsv(text)].map(({ cells }) => cells);
const problemIn = (text: string) => {
  try {
    return rowsOf(text);
  } catch (error) {
    return error instanceof CsvError ? [error.line, error.message] : error;
  }
};

test("every table is read as it was written, whatever its cells hold and its lines end with", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('"', ",", "\n", "\r\n", "\r", '""', " a", ""));
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(rows, fc.constantFrom("\n", "\r\n", "\r"), fc.boolean(), (table, end, isEnded) => {
      const lines = table.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
      expect(rowsOf(lines.join(end) + (isEnded ? end : ""))).toEqual(table);
    }),
  );
});

test("each row has the number of its first line, and an empty line has no cells", () => {
  const rows = [...readCsv('a,b\r\n\r\n"1\n2","3\r\n4"\nc,d\n')];
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

test("what is no CSV is refused with its line", () => {
  expect(problemIn('a\n"b\nc')).toEqual([2, "A quote opens here and never closes"]);
  expect(problemIn('a\n"b\nc"d')).toEqual([3, expect.stringMatching(/^Text follows a closing quote/)]);
  expect(problemIn(`a\n${",".repeat(100_000)}`)).toEqual([2, "A row can have 200 cells"]);
});
