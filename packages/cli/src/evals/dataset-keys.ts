import type { PromptAddress } from "@promptreg/core/refs";
import { ApiError } from "@promptreg/core/errors";
import type { Client } from "../requests/client.ts";
import type { Output } from "../terminal/output.ts";
import { findDataset } from "./baseline.ts";
import type { FindKey } from "./readers/reader.ts";
import { digestOf, type Fields, shownOf } from "./readers/values.ts";

/** Reads the cases of a dataset once, when somebody needs them. A token that may only report cannot, and is told. */
export function keyReader(
  client: Client,
  { prompt, dataset }: { prompt: PromptAddress; dataset?: { name: string } },
  output: Output,
): (() => Promise<FindKey>) | undefined {
  if (dataset === undefined) return undefined;
  let found: Promise<FindKey> | undefined;
  return () =>
    (found ??= findKeysIn(client, prompt, dataset.name).catch((error: unknown) => {
      // Without the scope read, what is private is not found. If there is no such dataset, the run is refused.
      if (!(error instanceof ApiError && error.code === "not_found")) throw error;
      output.note(
        "This token cannot read the dataset, so tests are not matched with its cases: they count by number.",
      );
      return () => undefined;
    }));
}

/**
 * A test is a case if it has the same variables. One that is called as a case may have more: tools add their defaults. Of two cases with
 * the same variables nobody can tell which was tried.
 */
async function findKeysIn(client: Client, prompt: PromptAddress, name: string): Promise<FindKey> {
  const { id } = await findDataset(client, prompt, name);
  const inputs = new Map<string, readonly string[]>();
  const keys = new Map<string, string | undefined>();
  for await (const { key, variables } of client.evals.datasets.cases.list({ id, query: { limit: 500 } })) {
    const input = inputOf(variables);
    inputs.set(key, input);
    keys.set(input.join(), keys.has(input.join()) ? undefined : key);
  }
  return (description = "", variables) => {
    const input = inputOf(variables);
    const given = new Set(input);
    const isNamed = inputs.get(description)?.every((one) => given.has(one));
    return isNamed ? description : keys.get(input.join());
  };
}

/** Variables with their values as a prompt prints them. Digests: the texts of 10,000 cases may not fit into memory. */
const inputOf = (variables: Fields): string[] =>
  Object.entries(variables)
    .map(([name, value]) => digestOf(JSON.stringify([name, shownOf(value) ?? "null"])))
    .sort();
