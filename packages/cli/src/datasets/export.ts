import type { Case, Dataset } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { isThere, writeWhole } from "../disk/write-whole.ts";
import { InputError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { cell, countOf } from "../terminal/text.ts";
import { CaseTable } from "./csv.ts";
import { findDataset, titleOf } from "./find.ts";

interface Options {
  format?: "csv" | "jsonl";
  out: string;
}

/** Writes the cases so that an import reads them back. They are read in pages: all of them may not fit into memory. */
export async function exportCases(
  { connect, confirm, output, stdout }: Context,
  prompt: PromptAddress,
  name: string,
  { out, format = /\.csv$/i.test(out) ? "csv" : "jsonl" }: Options,
): Promise<void> {
  const client = await connect();
  const { dataset } = await findDataset(client, prompt, name);
  let count = 0;
  const progress = output.progress(() => `exported: ${countOf(count, "case")}`);
  const table = new CaseTable();
  async function* lines(): AsyncGenerator<string> {
    if (format === "csv") {
      for await (const one of casesOf(client, dataset)) table.add(one);
      yield table.header();
    }
    for await (const one of casesOf(client, dataset)) {
      yield format === "csv" ? table.row(one) : lineOf(one);
      count += 1;
    }
    await requireUnchanged(client, dataset);
  }
  try {
    if (out === "-") for await (const line of lines()) stdout.write(output.foreign(line));
    else
      await writeWhole(out, lines(), async () => {
        progress.end();
        if (await isThere(out)) await confirm(`Overwrite ${cell(out)}?`);
      });
  } finally {
    progress.end();
  }
  noteLosses(output, table);
  if (out === "-") return;
  output.result(
    { file: out, dataset: dataset.id, revision: dataset.revision, cases: count },
    () => `${cell(out)}: ${countOf(count, "case")} of ${titleOf(dataset)}, revision ${dataset.revision}`,
  );
}

const casesOf = (client: Client, { id }: Dataset): AsyncIterable<Case> =>
  client.evals.datasets.cases.list({ id, query: { limit: 500 } });

/** A case as an import takes it. */
const lineOf = ({ id: _, position: __, ...one }: Case): string => `${JSON.stringify(one)}\n`;

/** Pages of several revisions are no dataset that ever was. */
async function requireUnchanged(client: Client, { id, revision }: Dataset): Promise<void> {
  const now = await client.evals.datasets.get({ id });
  if (now.revision !== revision)
    throw new InputError("The cases changed while they were exported. Export them again.");
}

function noteLosses({ note }: Context["output"], { losses }: CaseTable): void {
  if (losses.size === 0) return;
  const parts = [...losses].map(([part, count]) => `${part} of ${countOf(count, "case")}`);
  note(`CSV has only text, and does not keep ${parts.join(", ")} as they are. --format jsonl keeps all.`);
}
