import { labelProblem, limits, type OperationOf } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Context } from "../../kernel/handler.ts";
import { countLabels, selectLabelled, selectUsability, writeMove } from "./label.sql.ts";
import { hasNo, type PromptRow } from "./target.ts";

interface Moving {
  sql: Sql;
  emit: Context<OperationOf<"prompts.labels.put">>["emit"];
  audit: Context<OperationOf<"prompts.labels.put">>["audit"];
  caller: Caller;
  /** Locked: moves of one prompt happen one after the other. Of two that expect the same version, one wins. */
  prompt: PromptRow;
}

interface WantedMove {
  name: string;
  versionNumber: number;
  reason: string | null;
  /** The version that the label must have now. Null: it must not exist. Undefined: not checked. */
  expected?: number | null;
}

/**
 * Creates or moves a label, and emits its event. A move to its present version changes nothing.
 * @throws {ApiError} `validation_failed`, `label_conflict`, `not_found`, `version_yanked` or `quota_exceeded`.
 */
export async function moveLabel(
  { sql, emit, audit, caller, prompt }: Moving,
  { name, versionNumber, reason, expected }: WantedMove,
): Promise<"created" | "moved" | "unchanged"> {
  const problem = labelProblem(name);
  if (problem !== undefined) throw invalid("/name", problem);
  const at = { promptId: prompt.id, name };
  const from = await selectLabelled(sql, at);
  if (expected !== undefined && expected !== from) {
    const is = from === null ? "does not exist" : `points to version ${from}`;
    const wanted = expected === null ? "no such label" : `version ${expected}`;
    throw apiError("label_conflict", { message: `The label ${name} ${is}. You expected ${wanted}.` });
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
  await writeMove(sql, { ...at, from, to: versionNumber, reason, actor: caller });
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
 * Points the labels of a commit to its new version.
 * @throws {ApiError} as `moveLabel`.
 */
export async function labelNew(
  moving: Moving,
  { names, versionNumber }: { names: readonly string[] | undefined; versionNumber: number },
): Promise<void> {
  for (const name of new Set(names)) await moveLabel(moving, { name, versionNumber, reason: null });
}
