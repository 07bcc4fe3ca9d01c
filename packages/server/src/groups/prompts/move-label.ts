import { labelProblem, limits, type OperationOf } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import type { Context } from "../../kernel/handler.ts";
import { countLabels, selectLabelled, selectUsability, writeMove } from "./label.sql.ts";
import { hasNo, type PromptRow } from "./target.ts";

interface Moving {
  sql: Sql;
  emit: Context<OperationOf<"prompts.labels.put">>["emit"];
  audit: Context<OperationOf<"prompts.labels.put">>["audit"];
  caller: Caller;
  /** Locked: moves of one prompt happen one after the other, and of two that expect the same place one wins. */
  prompt: PromptRow;
}

interface Wish {
  name: string;
  versionNumber: number;
  reason: string | null;
  /** Where the label must be now; null that it must not exist, undefined that it does not matter. */
  expected?: number | null;
}

/**
 * Creates or moves a label and tells of it; a move to where it is already changes nothing.
 * @throws {ApiError} `validation_failed`, `label_conflict`, `not_found`, `version_yanked` or `quota_exceeded`.
 */
export async function moveLabel(
  { sql, emit, audit, caller, prompt }: Moving,
  { name, versionNumber, reason, expected }: Wish,
): Promise<"created" | "moved" | "unchanged"> {
  const problem = labelProblem(name);
  if (problem !== undefined) throw apiError("validation_failed", { message: problem });
  const at = { promptId: prompt.id, name };
  const from = await selectLabelled(sql, at);
  if (expected !== undefined && expected !== from) {
    const is = from === null ? "does not exist" : `is at version ${from}`;
    throw apiError("label_conflict", { message: `The label ${name} ${is}, not where you expected it.` });
  }
  const usability = await selectUsability(sql, { promptId: prompt.id, n: versionNumber });
  if (usability === "absent") throw hasNo(prompt, `version ${versionNumber}`);
  if (usability === "yanked") {
    throw apiError("version_yanked", {
      message: `Version ${versionNumber} was yanked and cannot be labelled.`,
    });
  }
  if (from === versionNumber) return "unchanged";
  if (from === null && (await countLabels(sql, prompt.id)) >= limits.labelsPerPrompt) {
    throw apiError("quota_exceeded", { message: `A prompt can have ${limits.labelsPerPrompt} labels.` });
  }
  await writeMove(sql, { ...at, from, to: versionNumber, reason, actorId: caller.id });
  await emit(
    "prompt.label.moved",
    { prompt },
    {
      label: { name, versionNumber, reason },
      previousVersionNumber: from,
    },
  );
  await audit("label.move", prompt.id, { name, from, to: versionNumber, reason });
  return from === null ? "created" : "moved";
}

/**
 * Points the labels that came with it to a new version.
 * @throws {ApiError} as `moveLabel`.
 */
export async function labelNew(
  moving: Moving,
  { names, versionNumber }: { names: readonly string[] | undefined; versionNumber: number },
): Promise<void> {
  for (const name of new Set(names)) await moveLabel(moving, { name, versionNumber, reason: null });
}
