import type { Variable } from "@promptreg/core/template";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type FileText, fileText, type ResolvedRow } from "../prompts/index.ts";

/** A prompt with the text of the requested version. */
export interface OpenedRow extends ResolvedRow, FileText {
  n: number | null;
  variables: Variable[] | null;
}

/** The columns of an OpenedRow, from `versions v`. The text is needed even by whoever has it already. */
export const opened = (sql: Sql): Fragment => sql`
  , v.n, v.variables ${fileText(sql, { ifNoneMatch: [] }, null)}`;
