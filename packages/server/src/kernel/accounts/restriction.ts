import type { RestrictedUse } from "@promptreg/core";
import { type ApiError, apiError } from "@promptreg/core/errors";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { AnyRow } from "../target.ts";
import type { Caller } from "./caller.ts";
import { owns } from "./ownership.ts";

type Restricted = Pick<Caller, "id" | "handle" | "restriction">;

const refusal = (message: string): ApiError => apiError("token_scope", { message });

/** Refuses an operation that is closed to the token, whatever it is about. */
export function refuseClosed({ restriction }: Restricted, use: RestrictedUse | undefined): ApiError | null {
  if (restriction === null) return null;
  if (use === undefined)
    return refusal("This token is restricted to some prompts, and this operation is closed to such tokens.");
  if (use.creates && !restriction.creates)
    return refusal("This token may add nothing: no prompts, versions, drafts, datasets or cases.");
  return null;
}

/** The prompt that a row is or belongs to. */
const promptOf = ({ prompt, dataset, ...row }: AnyRow): AnyRow =>
  prompt ?? (dataset ? promptOf(dataset) : row);

/** Whether a restricted token may use what a request is about. `rows` has null for what a request could name and does not. */
export function covers(caller: Restricted, rows: readonly (AnyRow | null)[]): boolean {
  return rows.every((row) => {
    const { slug, ownerId = "" } = row ? promptOf(row) : {};
    return slug !== undefined && owns(caller, { ownerId }) && coversSlug(caller, slug);
  });
}

const coversSlug = ({ restriction }: Restricted, slug: string): boolean =>
  restriction === null ||
  restriction.prompts.some((one) => (one.endsWith("*") ? slug.startsWith(one.slice(0, -1)) : slug === one));

/** @throws {ApiError} `token_scope` if a token may not use a prompt. */
export const outside = ({ restriction, handle }: Restricted, advice = ""): ApiError =>
  refusal(
    `This token is restricted to these prompts: ${restriction?.prompts.map((one) => `${handle}/${one}`).join(", ")}.${advice}`,
  );

/**
 * Checks the slug of a prompt that is added.
 * @throws {ApiError} `token_scope`.
 */
export function requireSlug(caller: Restricted, slug: string): void {
  if (!coversSlug(caller, slug)) throw outside(caller);
}

/**
 * Checks the labels that a request moves.
 * @throws {ApiError} `token_scope`.
 */
export function requireLabels(
  { restriction }: Restricted,
  use: RestrictedUse | undefined,
  sent: { params: unknown; body: unknown },
): void {
  const allowed = restriction?.labels ?? null;
  if (allowed === null || use?.labels === undefined) return;
  const [part, field] = use.labels.split(".") as ["params" | "body", string];
  const value = (sent[part] as Record<string, string | string[] | undefined> | undefined)?.[field];
  const refused = [value ?? []].flat().find((label) => !allowed.includes(label));
  if (refused !== undefined)
    throw refusal(`This token may not move the label ${refused}, only: ${allowed.join(", ") || "none"}.`);
}

/** Of prompts `p` of the caller, those that its token may use. */
export const isCovered = (sql: Sql, caller: Pick<Caller, "restriction"> | null): Fragment =>
  caller?.restriction
    ? sql`p.slug like any(${caller.restriction.prompts.map((one) => one.replace(/[\\_%]/g, "\\$&").replace(/\*$/, "%"))}::text[])`
    : sql`true`;
