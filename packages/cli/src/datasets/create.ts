import type { Dataset } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { confirmPublic, refOf, titleOf } from "./find.ts";

export async function createDataset(
  { connect, confirm, output }: Context,
  prompt: PromptAddress,
  name: string,
  about: Partial<Pick<Dataset, "description" | "visibility">>,
): Promise<void> {
  const ref = refOf(prompt);
  const client = await connect();
  if (about.visibility === "public") {
    await confirmPublic({ output, confirm }, { prompt: { ref }, name, caseCount: 0 });
  }
  // A token that may not read gets no answer.
  const created: Dataset | undefined = await client.evals.datasets.create({
    body: { prompt: ref, name, ...about },
  });
  const { visibility = "private" } = about;
  output.result(
    created ?? null,
    () => `${output.colors.bold(titleOf({ prompt: { ref }, name }))} is created, and ${visibility}`,
  );
}
