import * as z from "zod";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { json, op } from "../../operations/operation.ts";
import { entries } from "./entries.ts";
import { Contest, ContestPath, ContestStatus, EligibleWork, EntryType } from "./schemas.ts";

/** Which contests to list. */
export interface ListContests extends PageQuery {
  /** Only those in this phase. */
  status?: ContestStatus;
}
const ListContests: Schema<ListContests> = z.strictObject({
  ...pageQuery(),
  status: ContestStatus.optional(),
});

/** Which of your works to list. */
export interface EligibleQuery extends PageQuery {
  /** Only works of this kind. */
  type?: EntryType;
}
const EligibleQuery: Schema<EligibleQuery> = z.strictObject({ ...pageQuery(), type: EntryType.optional() });

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const contests = {
  /** Lists the contests, the last to open first. */
  list: op({
    route: "GET /contests",
    access: { auth: "optional", scope: "read" },
    query: ListContests,
    results: { 200: json<Page<Contest>>(pageOf(Contest)) },
    errors: ["invalid_cursor"],
  }),
  /** Gets a contest. Once it is closed, with its winners. */
  get: op({
    route: "GET /contests/{slug}",
    access: { auth: "optional", scope: "read", on: { contest: "viewers" } },
    params: ContestPath,
    results: { 200: json(Contest) },
  }),
  /** Lists your prompts and makes, the newest first, and says whether each can be entered, and if not, why. */
  eligible: op({
    route: "GET /contests/{slug}/eligible",
    access: { auth: "required", scope: "read", on: { contest: "viewers" } },
    params: ContestPath,
    query: EligibleQuery,
    results: { 200: json<Page<EligibleWork>>(pageOf(EligibleWork)) },
    errors: ["invalid_cursor"],
  }),
  entries: entries as typeof entries,
};
