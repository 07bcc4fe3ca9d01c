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

/** Which part of a file to read, if it holds several runs, and from which score on a case passes. */
export interface ReadOptions {
  provider?: string | undefined;
  promptLabel?: string | undefined;
  /** 0 to 1, for tools that give scores and no verdict. */
  passScore: number;
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
  read(bytes: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncIterable<Found>;
}

/** What a reader of JSON makes of the values that it wants, in their order. */
export interface Taking {
  take(cut: Cut): Iterable<Found>;
  end?(): Iterable<Found>;
}

/** A reader of JSON or JSON Lines: which values it wants of the file, and what it makes of them. */
export function jsonReader({
  wanted,
  begin,
  ...reader
}: Omit<Reader, "read"> & { wanted: readonly string[]; begin: (options: ReadOptions) => Taking }): Reader {
  return {
    ...reader,
    async *read(bytes, options) {
      const cutter = new JsonCutter(wanted);
      const taking = begin(options);
      for await (const chunk of bytes) {
        for (const cut of cutter.read(chunk)) yield* taking.take(cut);
      }
      for (const cut of cutter.end()) yield* taking.take(cut);
      yield* taking.end?.() ?? [];
    },
  };
}

/** Refuses a value that a tool would not have written. */
export const refuse = (line: number, what: string): InputError => new InputError(`line ${line}: ${what}`);
