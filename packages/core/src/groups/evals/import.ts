import * as z from "zod";
import { flag } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";

/** How to import cases. */
export interface ImportCases {
  /**
   * `append` adds cases: one that is there already with the same content is skipped. `replace` makes the file the whole
   * content of the dataset. Default: append.
   */
  mode?: "append" | "replace";
  /** Writes nothing, and says what an import would do, also of a file with errors. */
  dryRun?: boolean;
}
export const ImportCases: Schema<ImportCases> = z.strictObject({
  mode: z.enum(["append", "replace"]).optional(),
  dryRun: z.optional(flag),
});

/** What is wrong in a line of a file. */
export interface ImportProblem {
  /** From 1. A case of several lines has the number of its first line. */
  line: number;
  /** A JSON Pointer into the case, such as `/weight`. Empty for the whole line. */
  path: string;
  message: string;
}

/** What an import did. */
export interface ImportedCases {
  /** How many cases are new or have another content. */
  added: number;
  /** How many cases were there already with the same content. */
  skipped: number;
  /** How many cases `replace` deleted, because the file does not have their key. */
  removed: number;
  /** Of a `dryRun`, at most 100. An import with errors answers 422, with their lines in `details`. */
  errors: ImportProblem[];
  /** What is taken and probably not meant, such as a type of assertions that is unknown. */
  warnings: string[];
}
export const ImportedCases: Schema<ImportedCases> = z
  .strictObject({
    added: z.int(),
    skipped: z.int(),
    removed: z.int(),
    errors: z.array(z.strictObject({ line: z.int(), path: z.string(), message: z.string() })),
    warnings: z.array(z.string()),
  })
  .meta({ id: "ImportedCases" });
