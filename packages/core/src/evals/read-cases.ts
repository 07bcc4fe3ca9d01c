import { type ApiError, apiError } from "../catalogue/errors.ts";
import { findUnknownAssertions } from "../groups/evals/assertions.ts";
import { CaseInput } from "../groups/evals/case-schemas.ts";
import type { ImportProblem } from "../groups/evals/import.ts";
import { evalLimits } from "../groups/evals/limits.ts";
import { boundJson } from "../wire/json-bounds.ts";
import {
  assertionOfCell,
  type CsvRow,
  type Cut,
  csvRows,
  RowError,
  Rows,
  type Start,
} from "../rows/index.ts";
import { parse } from "../wire/validate.ts";

/** What a file says. */
export interface ReadCases {
  cases: CaseInput[];
  /** The line of each case. */
  lines: number[];
  /** How long each case is in the file, in characters. */
  sizes: number[];
  problems: ImportProblem[];
  unknownAssertions: Set<string>;
}

/** The most problems that are told. After them the rest of the file is not read. */
export const maxProblems = 100;

/** Reads the cases of a file while it is received, and what is wrong in it. */
export class CaseReader {
  readonly read: ReadCases = { cases: [], lines: [], sizes: [], problems: [], unknownAssertions: new Set() };
  readonly #keys = new Map<string, number>();
  readonly #rows: LineCases | CsvCases;
  #isOver = false;

  constructor(type: string) {
    this.#rows = type === "text/csv" ? new CsvCases() : new LineCases();
  }

  /**
   * Reads the next piece of the file. It yields after each row, so that others can have a turn.
   * @throws {ApiError} `payload_too_large` for more cases than a dataset can have.
   */
  *add(piece: string, options?: { isLast: boolean }): Generator<void> {
    if (this.#isOver) return;
    for (const found of readable(this.#rows.add(piece, options))) {
      keep(this.read, this.#keys, found);
      this.#isOver = found.isEnd === true || this.read.problems.length >= maxProblems;
      if (this.#isOver) break;
      yield;
    }
    this.read.problems.splice(maxProblems);
  }
}

/** The rows up to where the file cannot be read any further. */
function* readable(all: Iterable<Found>): Generator<Found> {
  try {
    yield* all;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    yield { ...wrong(error.line, error.message), isEnd: true };
  }
}

function keep(read: ReadCases, firstLines: Map<string, number>, { line, size = 0, problem, value }: Found) {
  if (problem === undefined && value === undefined) return;
  if (read.cases.length === evalLimits.casesPerDataset) throw tooMany();
  const one = problem ?? checked(value);
  if (Array.isArray(one)) {
    read.problems.push(...one.map((found) => ({ line, ...found })));
    return;
  }
  const earlier = one.key === undefined ? undefined : firstLines.get(one.key);
  if (earlier !== undefined) {
    read.problems.push({ line, path: "/key", message: `Line ${earlier} has the same key` });
  } else if (one.key !== undefined) firstLines.set(one.key, line);
  findUnknownAssertions(one, read.unknownAssertions);
  read.cases.push(one);
  read.lines.push(line);
  read.sizes.push(size);
}

const tooMany = () =>
  apiError("payload_too_large", { message: `A file can have ${evalLimits.casesPerDataset} cases.` });

type Problem = Omit<ImportProblem, "line">;

/** A case as it stands in a file, or what is wrong with it. An empty line has neither: ten million of them take time too. */
interface Found {
  line: number;
  size?: number;
  value?: unknown;
  problem?: Problem[];
  /** What follows cannot be read. */
  isEnd?: boolean;
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

class LineCases {
  readonly #rows = new Rows(lineAt);
  add = (piece: string, options?: { isLast: boolean }): Iterable<Found> => this.#rows.add(piece, options);
}

function lineAt(text: string, { at, line, isLast }: Start): Cut<Found> | undefined {
  const feed = text.indexOf("\n", at);
  if (feed === -1 && !isLast) return undefined;
  const end = feed === -1 ? text.length : feed;
  const row = text.slice(at, end);
  return { row: row.trim() === "" ? { line } : readLine(row, line), end: end + 1, lines: 1 };
}

function readLine(row: string, line: number): Found {
  try {
    boundJson(new TextEncoder().encode(row));
    return { line, size: row.length, value: JSON.parse(row) };
  } catch (error) {
    const { message } = error as Error;
    return wrong(line, error instanceof SyntaxError ? `This line is not valid JSON: ${message}` : message);
  }
}

class CsvCases {
  readonly #rows = csvRows();
  #columns: string[] | undefined;

  *add(piece: string, options?: { isLast: boolean }): Generator<Found> {
    for (const row of this.#rows.add(piece, options)) {
      const { line, cells } = row;
      if (cells.length === 0) yield { line };
      else if (this.#columns) yield caseOf(row, this.#columns);
      else {
        this.#columns = cells.map((name) => columnOf(name.trim()));
        const problem = problemOf(this.#columns);
        if (problem !== undefined) yield { ...wrong(line, problem), isEnd: true };
      }
    }
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
    else if (part === "assert") assertions.push(assertionOfCell(name, cell));
    else if (column === "tags") value["tags"] = cell.split(/[\s,;]+/).filter((tag) => tag !== "");
    else value[column] = column === "weight" ? Number(cell) : cell;
  }
  // `fromEntries` takes `__proto__` as a name like any other.
  const size = cells.reduce((sum, cell) => sum + cell.length, 0);
  return { line, size, value: { ...value, variables: Object.fromEntries(variables), assertions } };
}
