import * as z from "zod";
import { id } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, largeBody, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { tag } from "../prompts/schemas.ts";
import { Case, CaseInput, UpdateCase } from "./case-schemas.ts";
import { DatasetPath } from "./dataset-schemas.ts";

/** Which cases of a dataset to list. */
export interface ListCases extends PageQuery {
  /** Only those with this tag. */
  tag?: string;
}
const ListCases: Schema<ListCases> = z.strictObject({ ...pageQuery({ max: 500 }), tag: z.optional(tag) });

/** A batch of new cases. */
export interface CreateCases {
  cases: CaseInput[];
}
const CreateCases: Schema<CreateCases> = z
  .strictObject({ cases: z.array(CaseInput).min(1).max(500) })
  .meta({ id: "CreateCases" });

/** The new cases, in their order. */
export interface CreatedCases {
  items: Case[];
  /**
   * What is taken and probably not meant, such as a type of assertions that is unknown. Empty when a response over 64 KiB is
   * repeated for its `Idempotency-Key`, because the cases are then read again.
   */
  warnings: string[];
}
const CreatedCases: Schema<CreatedCases> = z
  .strictObject({ items: z.array(Case), warnings: z.array(z.string()) })
  .meta({ id: "CreatedCases" });

/** A case of a dataset. */
export interface CasePath extends DatasetPath {
  caseId: string;
}
const CasePath: Schema<CasePath> = z.strictObject({ id: id("eds"), caseId: id("ecs") });

export const cases = {
  /** Lists the cases of a dataset by position, which is the order in which they were added. A page ends early at about 8 MiB. */
  list: op({
    route: "GET /evals/datasets/{id}/cases",
    access: { auth: "optional", scope: "read", on: { dataset: "viewers" }, restricted: {} },
    params: DatasetPath,
    query: ListCases,
    results: { 200: json<Page<Case>>(pageOf(Case)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Adds up to 500 cases to a dataset, all or none. A dataset can have 10,000. The revision of the dataset rises once. If a
   * key is taken, `details` names each such case.
   */
  create: op({
    route: "POST /evals/datasets/{id}/cases",
    access: { auth: "required", scope: "write", on: { dataset: ["owner"] }, restricted: { creates: true } },
    params: DatasetPath,
    body: json(CreateCases, largeBody),
    results: { 201: json(CreatedCases), 204: empty() },
    errors: ["name_taken", "quota_exceeded"],
  }),
  /** Edits a case. The revision of its dataset rises. Send the ETag of the dataset as `If-Match`. */
  update: op({
    route: "PATCH /evals/datasets/{id}/cases/{caseId}",
    access: { auth: "required", scope: "write", on: { case: ["owner"] }, restricted: { creates: true } },
    params: CasePath,
    body: json(UpdateCase),
    results: { 200: json(Case), 204: empty() },
    errors: ["name_taken"],
  }),
  /** Deletes a case. Results of earlier runs keep its key. */
  delete: op({
    route: "DELETE /evals/datasets/{id}/cases/{caseId}",
    access: { auth: "required", scope: "write", on: { case: ["owner"] }, restricted: { creates: true } },
    params: CasePath,
    results: { 204: empty() },
  }),
};
