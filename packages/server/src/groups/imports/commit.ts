import { isDeepStrictEqual } from "node:util";
import type { CommitImport } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler } from "../../kernel/handler.ts";
import { otherState } from "./imports.ts";
import type { Bus } from "../../kernel/changes/bus.ts";
import { selectImport, wakeImports } from "./imports.sql.ts";
import { beginCommit, type Choice, chooseItems, type ChosenRow, selectChosen } from "./commit/commit.sql.ts";

export const commit: Handler<"imports.commit"> = async ({ body, target: { id, status }, sql, server }) => {
  const items = await selectChosen(sql, id);
  const choices = choicesOf(body, items);
  if (status === "ready") await begin({ sql, server }, id, choices);
  else if (!isCommitted.has(status) || !isSame(choices, items))
    throw otherState(status, "cannot be committed");
  return { status: 202, json: await selectImport(sql, id) };
};

const isCommitted = new Set<string>(["committing", "completed"]);

function choicesOf({ items: wanted }: CommitImport, items: readonly ChosenRow[]): Choice[] {
  if (wanted === undefined)
    return items.flatMap(({ id, selected }) => (selected ? [{ id, chosen: {} }] : []));
  return wanted.map(({ id, ...chosen }) => ({ id, chosen }));
}

async function begin(
  { sql, server }: { sql: Sql; server: { bus: Bus } },
  importId: string,
  choices: readonly Choice[],
): Promise<void> {
  if (choices.length === 0) {
    const message = "None of its items is selected. Name some.";
    throw apiError("validation_failed", { message, details: [{ path: "/items", code: "custom", message }] });
  }
  const known = await chooseItems(sql, importId, choices);
  const details = choices.flatMap(({ id }, index) =>
    known.has(id)
      ? []
      : [{ path: `/items/${index}/id`, code: "custom", message: `The import has no item ${id}.` }],
  );
  const [first] = details;
  if (first) throw apiError("validation_failed", { message: first.message, details: details.slice(0, 20) });
  await beginCommit(sql, importId);
  await wakeImports(sql, server);
}

/** Whether a commit that began has the same choices. */
function isSame(choices: readonly Choice[], items: readonly ChosenRow[]): boolean {
  const begun = new Map(items.flatMap(({ id, chosen }) => (chosen === null ? [] : [[id, chosen] as const])));
  return (
    begun.size === choices.length &&
    choices.every(({ id, chosen }) => begun.has(id) && isDeepStrictEqual(begun.get(id), chosen))
  );
}
