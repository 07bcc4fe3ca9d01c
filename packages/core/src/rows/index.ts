export { assertionOfCell } from "./assertions.ts";
export { type CsvRow, csvRows } from "./csv.ts";
export { type Cut, maxRow, RowError, Rows, type Start } from "./rows.ts";
