import * as z from "zod";
import { id, labelName, timestamp, versionNumber } from "../../language/fields.ts";
import { type Page, pageOf, type PageQuery, pageQuery } from "../../language/list.ts";
import { empty, json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";
import { Label, PromptPath, promptPath, reason } from "./schemas.ts";

/** The new version of a label, and the reason. */
export interface MoveLabel {
  versionNumber: number;
  /** Shown in the label's history and in the event. */
  reason?: string | null;
  /** The version that the label must point to now; null if it must not exist. Otherwise the move is refused. */
  expectedVersionNumber?: number | null;
}
export const MoveLabel: Schema<MoveLabel> = z
  .strictObject({
    versionNumber,
    reason: reason.nullish(),
    expectedVersionNumber: versionNumber.nullish(),
  })
  .meta({ id: "MoveLabel" });

/** One entry of a label's history. */
export interface LabelMove {
  id: string;
  name: string;
  /** Null where the label was created. */
  fromVersionNumber: number | null;
  /** Null where the label was deleted, or its version yanked by a moderator. */
  toVersionNumber: number | null;
  reason: string | null;
  actor: UserRef | null;
  /** Of your own moves: the name of the token. */
  token: string | null;
  at: string;
}
export const LabelMove: Schema<LabelMove> = z
  .strictObject({
    id: id("lmv"),
    name: z.string(),
    fromVersionNumber: versionNumber.nullable(),
    toVersionNumber: versionNumber.nullable(),
    reason: z.string().nullable(),
    actor: z.nullable(UserRef),
    token: z.string().nullable(),
    at: timestamp,
  })
  .meta({ id: "LabelMove" });

/** A prompt's address with a label's name. */
export interface LabelPath extends PromptPath {
  /** The name of the label. `latest` and `draft` are reserved. */
  name: string;
}
export const LabelPath: Schema<LabelPath> = z.strictObject({ ...promptPath, name: labelName });

/** Names that cannot be set: the first is computed, the second could be mistaken for the working draft. */
const reservedLabels: readonly string[] = ["latest", "draft"];
/** Why a label with a valid name cannot be set; undefined if it can. */
export const labelProblem = (name: string): string | undefined =>
  reservedLabels.includes(name) ? `The label ${name} is reserved. Choose another name.` : undefined;

export const labels = {
  /** Lists the labels of a prompt by name, with the computed `latest`. */
  list: op({
    route: "GET /prompts/{owner}/{slug}/labels",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPath,
    query: z.strictObject(pageQuery()) as Schema<PageQuery>,
    results: { 200: json<Page<Label>>(pageOf(Label)) },
    errors: ["invalid_cursor"],
  }),
  /** Creates a label, or moves it to another version. */
  put: op({
    route: "PUT /prompts/{owner}/{slug}/labels/{name}",
    access: {
      auth: "required",
      scope: "write",
      on: { prompt: ["owner"] },
      restricted: { labels: "params.name" },
    },
    params: LabelPath,
    body: json(MoveLabel),
    results: { 200: json(Label), 201: json(Label), 204: empty() },
    errors: ["prompt_not_published", "version_yanked", "label_conflict", "quota_exceeded"],
    emits: ["prompt.label.moved"],
  }),
  /** Deletes a label. Its history stays, with the deletion as the last entry. */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}/labels/{name}",
    access: {
      auth: "required",
      scope: "write",
      on: { prompt: ["owner"] },
      restricted: { labels: "params.name" },
    },
    params: LabelPath,
    results: { 204: empty() },
  }),
  /**
   * Lists the moves of a label, newest first. A deleted label keeps its history. `latest` has no history: it follows
   * the versions.
   */
  history: op({
    route: "GET /prompts/{owner}/{slug}/labels/{name}/history",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: LabelPath,
    query: z.strictObject(pageQuery()) as Schema<PageQuery>,
    results: { 200: json<Page<LabelMove>>(pageOf(LabelMove)) },
    errors: ["invalid_cursor"],
  }),
};
