import { labelProblem, limits, type Label, type OperationOf } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import { change } from "./commit.ts";
import type { Context, Handler } from "./handler.ts";
import { pageOf } from "./page.ts";
import { refOf, userRef } from "./show.ts";
import { type Caller, latestOf, type StoredPrompt, versionOf, type World } from "./world.ts";

/** The error for something that a visible prompt does not have. */
export const hasNo = (prompt: StoredPrompt, what: string) =>
  apiError("not_found", { message: `${refOf(prompt)} has no ${what}.` });

interface Moving {
  caller: Caller;
  world: World;
  emit: Context<OperationOf<"prompts.labels.put">>["emit"];
}

interface LabelChange {
  name: string;
  versionNumber: number;
  reason: string | null;
  /** The current version of the label; null if it must not exist, undefined for any. */
  expected?: number | null | undefined;
}

/**
 * Creates or moves a label, and emits the event. A move to the same version changes nothing.
 * @throws {ApiError} `validation_failed`, `label_conflict`, `not_found`, `version_yanked` or `quota_exceeded`.
 */
export function moveLabel(
  { caller, world, emit }: Moving,
  prompt: StoredPrompt,
  { name, versionNumber, reason, expected }: LabelChange,
): "created" | "moved" {
  const problem = labelProblem(name);
  if (problem !== undefined) throw invalid("/name", problem);
  const from = prompt.labels.get(name)?.versionNumber ?? null;
  if (expected !== undefined && expected !== from) {
    const is = from === null ? "does not exist" : `points to version ${from}`;
    const wanted = expected === null ? "no such label" : `version ${expected}`;
    throw apiError("label_conflict", { message: `The label ${name} ${is}. You expected ${wanted}.` });
  }
  const wanted = versionOf(prompt, versionNumber);
  if (wanted === undefined) throw hasNo(prompt, `version ${versionNumber}`);
  if (wanted.yanked !== null) {
    throw apiError("version_yanked", {
      message: `Version ${versionNumber} was yanked and cannot be labelled.`,
    });
  }
  if (from === versionNumber) return "moved";
  if (from === null && prompt.labels.size >= limits.labelsPerPrompt) {
    throw apiError("quota_exceeded", { message: `A prompt can have ${limits.labelsPerPrompt} labels.` });
  }
  const updatedBy = userRef(caller);
  const label: Label = { name, versionNumber, reason, updatedAt: world.now(), updatedBy, system: false };
  change(world, prompt, { labels: new Map(prompt.labels).set(name, label) });
  emit("prompt.label.moved", prompt, {
    label: { name, versionNumber, reason },
    previousVersionNumber: from,
  });
  return from === null ? "created" : "moved";
}

/**
 * Points labels to a new version.
 * @throws {ApiError} as `moveLabel`.
 */
export function labelNew(
  moving: Moving,
  prompt: StoredPrompt,
  { names, versionNumber }: { names: readonly string[] | undefined; versionNumber: number },
): void {
  for (const name of new Set(names)) moveLabel(moving, prompt, { name, versionNumber, reason: null });
}

export const put: Handler<"prompts.labels.put"> = ({ params: { name }, body, target: prompt, ...moving }) => {
  const { versionNumber, reason = null, expectedVersionNumber: expected } = body;
  const outcome = moveLabel(moving, prompt, { name, versionNumber, reason, expected });
  return { status: outcome === "created" ? 201 : 200, json: prompt.labels.get(name) as Label };
};

const remove: Handler<"prompts.labels.delete"> = ({ params: { name }, target: prompt, world }) => {
  const labels = new Map(prompt.labels);
  if (!labels.delete(name)) throw hasNo(prompt, `label ${name}`);
  change(world, prompt, { labels });
  return { status: 204 };
};
export { remove as delete };

export const list: Handler<"prompts.labels.list"> = ({ params, query, target: prompt }) => {
  const latest = latestOf(prompt)?.version;
  const computed: Label[] = latest
    ? [
        {
          name: "latest",
          versionNumber: latest.n,
          reason: null,
          updatedAt: latest.createdAt,
          updatedBy: userRef(prompt.owner),
          system: true,
        },
      ]
    : [];
  const all = [...prompt.labels.values(), ...computed].sort((a, b) => (a.name < b.name ? -1 : 1));
  return pageOf(all, {
    list: ["prompts.labels.list", params],
    query,
    keyOf: ({ name }) => name,
    isAfter: ({ name }, key) => name > key,
  });
};
