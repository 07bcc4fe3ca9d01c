import * as z from "zod";
import { labelName, versionNumber } from "../../fields.ts";
import { empty, json, op, type Schema } from "../../operation.ts";
import { Label, type PromptPath, promptPath, reason } from "./schemas.ts";

/** Where a label goes, and why. */
export interface MoveLabel {
  versionNumber: number;
  /** Shown in the label's history and in the event. */
  reason?: string | null;
  /** Compare-and-set: the version it must be at now; null means that it must not exist. */
  expectedVersionNumber?: number | null;
}
export const MoveLabel: Schema<MoveLabel> = z
  .strictObject({
    versionNumber,
    reason: reason.nullish(),
    expectedVersionNumber: versionNumber.nullish(),
  })
  .meta({ id: "MoveLabel" });

/** A prompt's address with a label's name. */
export interface LabelPath extends PromptPath {
  /** Of the label; `latest` and `draft` are reserved. */
  name: string;
}
export const LabelPath: Schema<LabelPath> = z.strictObject({ ...promptPath, name: labelName });

/** Names that are never set: the first is computed, the second would be mistaken for the working draft. */
export const reservedLabels: readonly string[] = ["latest", "draft"];

export const labels = {
  /** Creates a label, or moves it to another version. */
  put: op({
    route: "PUT /prompts/{owner}/{slug}/labels/{name}",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner"] },
    params: LabelPath,
    body: json(MoveLabel),
    results: { 200: json(Label), 201: json(Label) },
    errors: ["prompt_not_published", "version_yanked", "label_conflict", "quota_exceeded"],
    emits: ["prompt.label.moved"],
  }),
  /** Deletes a label. Its history stays, and the deletion is its last entry. */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}/labels/{name}",
    access: { auth: "required", scope: "write", on: "prompt", allow: ["owner"] },
    params: LabelPath,
    results: { 204: empty() },
  }),
};
