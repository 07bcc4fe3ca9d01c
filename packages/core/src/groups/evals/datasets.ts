import * as z from "zod";
import { readOfPrompt } from "./access.ts";
import { ref } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, op, text } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { cases } from "./cases.ts";
import { CreateDataset, Dataset, DatasetPath, UpdateDataset } from "./dataset-schemas.ts";
import { ImportCases, ImportedCases } from "./import.ts";

/** Which datasets to list. */
export interface ListDatasets extends PageQuery {
  /** `owner/slug`. */
  prompt: string;
}
const ListDatasets: Schema<ListDatasets> = z.strictObject({ ...pageQuery(), prompt: ref });

const file = { maxBytes: 10 * 1024 * 1024 };

// `as typeof` for the published declarations: see index.ts.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const datasets = {
  /** Lists the datasets of a prompt by name. Private ones are listed for its owner alone. */
  list: op({
    route: "GET /evals/datasets",
    access: readOfPrompt,
    query: ListDatasets,
    results: { 200: json<Page<Dataset>>(pageOf(Dataset)) },
    errors: ["invalid_cursor"],
  }),
  /** Creates a dataset of your prompt. A prompt can have 50. */
  create: op({
    route: "POST /evals/datasets",
    access: {
      auth: "required",
      scope: "write",
      on: { prompt: ["owner"] },
      from: "body.prompt",
      restricted: { creates: true },
    },
    body: json(CreateDataset),
    results: { 201: json(Dataset), 204: empty() },
    errors: ["name_taken", "quota_exceeded"],
  }),
  /** Gets a dataset. Every change of its cases changes the ETag. */
  get: op({
    route: "GET /evals/datasets/{id}",
    access: { auth: "optional", scope: "read", on: { dataset: "viewers" }, restricted: {} },
    params: DatasetPath,
    results: { 200: json(Dataset) },
  }),
  /** Changes the name, the description or the visibility of a dataset. */
  update: op({
    route: "PATCH /evals/datasets/{id}",
    access: { auth: "required", scope: "write", on: { dataset: ["owner"] }, restricted: { creates: true } },
    params: DatasetPath,
    body: json(UpdateDataset),
    results: { 200: json(Dataset), 204: empty() },
    errors: ["name_taken"],
  }),
  /** Deletes a dataset. Its name is free again. Runs keep the name and the revision that they were made with. */
  delete: op({
    route: "DELETE /evals/datasets/{id}",
    access: { auth: "required", scope: "write", on: { dataset: ["owner"] } },
    params: DatasetPath,
    results: { 204: empty() },
  }),
  cases: cases as typeof cases,
  /**
   * Imports cases from CSV or JSONL: at most 10,000 cases, all or nothing. Send the `Content-Type` of the file.
   *
   * JSONL has one case on each line, as `evals.datasets.cases.create` takes it. CSV has a header. Its columns are `key`,
   * `expected` (or `__expected`, as promptfoo names it), `tags`, `weight` and `assert.<type>`. Every other column is a variable.
   * A variable with one of these names is written `variables.<name>`. Cells are text, also if they look like numbers or
   * formulas.
   */
  import: op({
    route: "POST /evals/datasets/{id}/import",
    access: { auth: "required", scope: "write", on: { dataset: ["owner"] }, restricted: { creates: true } },
    params: DatasetPath,
    query: ImportCases,
    body: [text("text/csv", file), text("application/x-ndjson", file)],
    results: { 200: json(ImportedCases) },
    errors: ["quota_exceeded"],
  }),
};
