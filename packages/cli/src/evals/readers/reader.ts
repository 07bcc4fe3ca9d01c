import type { ResultInput } from "@promptreg/core";
import { InputError } from "../../errors.ts";
import { type Cut, JsonCutter } from "./json-cut.ts";
import type { Shape } from "./shape.ts";

/** What a report says of itself, where its tool writes it. */
export interface ReportHeader {
  tool?: string | undefined;
  model?: string | undefined;
  threshold?: number | undefined;
}

/** A result as a tool writes it. Its index, and the attempt of most, come from the order. */
export type Draft = Omit<ResultInput, "index">;

/** What a reader finds, one by one. `place` says where in the file, such as `line 12`. */
export type Found = { header: ReportHeader } | { place: string; result: unknown };

/** Finds the key of a dataset's case by what a tool says of its test; undefined if it is none of them. */
export type FindKey = (
  description: string | undefined,
  variables: Readonly<Record<string, unknown>>,
) => string | undefined;

/** Which part of a file to read, if it holds several runs, from which score on a case passes, and how cases are called. */
export interface ReadOptions {
  provider?: string | undefined;
  promptLabel?: string | undefined;
  /** 0 to 1, for tools that give scores and no verdict. */
  passScore: number;
  /** Reads the dataset that was run, for tools that do not know its keys. */
  readKeys?: (() => Promise<FindKey>) | undefined;
}

/** Reads the files of one tool. */
export interface Reader {
  /** As people call its files. */
  name: string;
  /** The tool, as it stands in the source of a run. */
  tool: string;
  recognises(shape: Shape): boolean;
  /** Whether the file says which attempt a result is; otherwise the same case again is the next one. */
  saysAttempts?: boolean;
  /** Whether one file may hold several runs, of which the options choose one. */
  holdsSeveralRuns?: boolean;
  /** `bytes` reads the file from its beginning. */
  read(bytes: () => AsyncIterable<Uint8Array>, options: ReadOptions): AsyncIterable<Found>;
}

/** What a reader of JSON makes of the values that it wants, in their order. */
export interface Taking {
  take(cut: Cut): Iterable<Found>;
  end?(): Iterable<Found>;
}

/** Begins to read a file. What it needs to know beforehand it cuts out of the whole file. */
type Begin = (
  options: ReadOptions,
  cuts: (wanted: readonly string[]) => AsyncIterable<Cut>,
) => Taking | Promise<Taking>;

/** A reader of JSON or JSON Lines: which values it wants of the file, and what it makes of them. */
export function jsonReader({
  wanted,
  begin,
  ...reader
}: Omit<Reader, "read"> & { wanted: readonly string[]; begin: Begin }): Reader {
  return {
    ...reader,
    async *read(bytes, options) {
      const taking = await begin(options, (wanted) => cutsOf(wanted, bytes()));
      for await (const cut of cutsOf(wanted, bytes())) yield* taking.take(cut);
      yield* taking.end?.() ?? [];
    },
  };
}

async function* cutsOf(wanted: readonly string[], bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Cut> {
  const cutter = new JsonCutter(wanted);
  for await (const chunk of bytes) yield* cutter.read(chunk);
  yield* cutter.end();
}

/** Refuses a value that a tool would not have written. */
export const refuse = (line: number, what: string): InputError => new InputError(`line ${line}: ${what}`);
