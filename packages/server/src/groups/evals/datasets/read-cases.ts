import { setImmediate as nextTurn } from "node:timers/promises";
import { CaseInput, type ImportProblem, limits } from "@promptreg/core";
import { type ApiError, apiError } from "@promptreg/core/errors";
import { parse } from "@promptreg/core/wire";
import { boundJson } from "../../../kernel/json-bounds.ts";
import { CsvError, type CsvRow, readCsv } from "./csv.ts";

/** What a file says. */
export interface ReadCases {
  cases: CaseInput[];
  /** The line of each case. */
  lines: number[];
  /** How long each case is in the file, in characters. */
  sizes: number[];
  problems: ImportProblem[];
}

/** The most problems that are told. After them the rest of the file is not read. */
export const maxProblems = 100;
/** How long a file may keep other requests waiting. */
const turnMs = 5;

/**
 * Reads the cases of a file, and what is wrong in it.
 * @throws {ApiError} `payload_too_large` for more cases than a dataset can have.
 */
export async function readCases(text: string, type: string): Promise<ReadCases> {
  const read: ReadCases = { cases: [], lines: [], sizes: [], problems: [] };
  const firstLines = new Map<string, number>();
  let since = performance.now();
  for (const { line, size, problem, value } of type === "text/csv" ? casesOfCsv(text) : casesOfLines(text)) {
    if (performance.now() - since > turnMs) {
      await nextTurn();
      since = performance.now();
    }
    if (problem === undefined && value === undefined) continue;
    if (read.cases.length === limits.casesPerDataset) throw tooMany();
    const one = problem ?? checked(value);
    if (Array.isArray(one)) read.problems.push(...one.map((found) => ({ line, ...found })));
    else {
      const earlier = one.key === undefined ? undefined : firstLines.get(one.key);
      if (earlier !== undefined) {
        read.problems.push({ line, path: "/key", message: `Line ${earlier} has the same key` });
      } else if (one.key !== undefined) firstLines.set(one.key, line);
      read.cases.push(one);
      read.lines.push(line);
      read.sizes.push(size ?? 0);
    }
    if (read.problems.length >= maxProblems) break;
  }
  read.problems.splice(maxProblems);
  return read;
}

const tooMany = () =>
  apiError("payload_too_large", { message: `A file can have ${limits.casesPerDataset} cases.` });

type Problem = Omit<ImportProblem, "line">;

/** A case as it stands in a file, or what is wrong with it. An empty line has neither: ten million of them take time too. */
interface Found {
  line: number;
  size?: number;
  value?: unknown;
  problem?: Problem[];
}

const wrong = (line: number, message: string): Found => ({ line, problem: [{ path: "", message }] });

function checked(value: unknown): CaseInput | Problem[] {
  try {
    return parse(CaseInput, value);
  } catch (error) {
    const { details } = error as ApiError;
    return details.map(({ path, message: rule }) => ({ path, message: rule }));
  }
}

function* casesOfLines(text: string): Generator<Found> {
  let line = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const row = text.slice(at, end === -1 ? undefined : end);
    at = end === -1 ? text.length : end + 1;
    line += 1;
    yield row.trim() === "" ? { line } : readLine(row, line);
  }
}

function readLine(row: string, line: number): Found {
  try {
    boundJson(Buffer.from(row));
    return { line, size: row.length, value: JSON.parse(row) };
  } catch (error) {
    const { message } = error as Error;
    return wrong(line, error instanceof SyntaxError ? `This line is not valid JSON: ${message}` : message);
  }
}

function* casesOfCsv(text: string): Generator<Found> {
  let columns: string[] | undefined;
  try {
    for (const row of readCsv(text)) {
      const { line, cells } = row;
      if (cells.length === 0) yield { line };
      else if (columns) yield caseOf(row, columns);
      else {
        columns = cells.map((name) => columnOf(name.trim()));
        const problem = problemOf(columns);
        if (problem !== undefined) {
          yield wrong(line, problem);
          return;
        }
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield wrong(error.line, error.message);
  }
}

/** What is wrong with a header. */
function problemOf(columns: readonly string[]): string | undefined {
  const [only = ""] = columns;
  if (columns.length === 1 && /[;\t]/.test(only)) {
    const mark = only.includes(";") ? "semicolons" : "tabs";
    return `This header has one cell. Separate cells by commas, not by ${mark}`;
  }
  const unnamed = columns.indexOf("variables.");
  if (unnamed !== -1) return `Column ${unnamed + 1} has no name`;
  const twice = columns.findIndex((column, index) => columns.indexOf(column) !== index);
  return twice === -1 ? undefined : `Column ${twice + 1} has the name of an earlier column`;
}

const fields = new Set(["key", "expected", "tags", "weight"]);

/** The part of a case that a column has: `weight`, `assert.contains`, `variables.name`. */
function columnOf(name: string): string {
  if (name === "__expected") return "expected";
  return fields.has(name) || /^(assert|variables)\./.test(name) ? name : `variables.${name}`;
}

/** An empty cell is an empty variable, and no other part of a case. */
function caseOf({ line, cells }: CsvRow, columns: readonly string[]): Found {
  if (cells.length !== columns.length) {
    return wrong(line, `This row has ${cells.length} cells, and the header ${columns.length}`);
  }
  const value: Record<string, unknown> = {};
  const variables: [string, string][] = [];
  const assertions: object[] = [];
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? "";
    const [, part, name = ""] = /^(assert|variables)\.(.*)$/s.exec(column) ?? [];
    if (part === "variables") variables.push([name, cell]);
    else if (cell.trim() === "") continue;
    else if (part === "assert") assertions.push({ type: name, value: cell });
    else if (column === "tags") value["tags"] = cell.split(/[\s,;]+/).filter((tag) => tag !== "");
    else value[column] = column === "weight" ? Number(cell) : cell;
  }
  // `fromEntries` takes `__proto__` as a name like any other.
  const size = cells.reduce((sum, cell) => sum + cell.length, 0);
  return { line, size, value: { ...value, variables: Object.fromEntries(variables), assertions } };
}
