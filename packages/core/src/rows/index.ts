/** Reads texts row by row, as they come in pieces. */

export { CsvError, type CsvRow, csvRows } from "./csv.ts";
export { type Cut, Rows, type Start } from "./rows.ts";
