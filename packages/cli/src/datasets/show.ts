import type { Case } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { resultSchema } from "../requests/result-schema.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { drawAnswer } from "../terminal/draw.ts";
import { cell, printJson } from "../terminal/text.ts";
import { findDataset } from "./find.ts";

/** More of a text than a line shows is not printed. */
const maxText = 200;

export async function showDataset(
  { connect, output }: Context,
  prompt: PromptAddress,
  name: string,
  { tag, limit }: { tag?: string; limit: number },
): Promise<void> {
  const client = await connect();
  const { dataset } = await findDataset(client, prompt, name);
  const query = { tag, limit: Math.min(limit, 500) };
  const { items: cases, hasMore } = await take(
    client.evals.datasets.cases.list({ id: dataset.id, query }),
    limit,
  );
  const schema = output.isJson ? undefined : resultSchema("evals.datasets.get");
  output.result({ ...dataset, cases, hasMore }, () => {
    const rows = cases.map((one) => [one.key, one.tags.join(" "), text(one.variables), text(one.expected)]);
    const table = output.table(
      ["key", "tags", "variables", "expected"],
      rows.map((row) => row.map(cell)),
    );
    return [schema ? drawAnswer(dataset, schema, output) : "", table].filter(Boolean).join("\n\n");
  });
  output.more(hasMore, "more cases");
}

const text = (value: Case["expected"]): string =>
  value === null ? "" : (typeof value === "string" ? value : printJson(value, 0)).slice(0, maxText);
