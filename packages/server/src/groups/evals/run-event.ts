import type { EventData, JsonText, Run } from "@promptreg/core";

/** The data of eval.run.failed. */
export function failedOf(text: JsonText<Run>, publicUrl: string): EventData<"eval.run.failed"> {
  const {
    id,
    versionNumber,
    model,
    dataset,
    status,
    verdict,
    threshold,
    summary,
    source,
    finishedAt,
    error,
  } = JSON.parse(text) as Run;
  return {
    run: {
      id,
      versionNumber,
      model,
      dataset,
      status,
      verdict,
      threshold,
      summary,
      source,
      url: `${publicUrl}/api/v1/evals/runs/${id}`,
      finishedAt: finishedAt ?? "",
      error: { message: error ?? "" },
    },
  };
}

/** The data of eval.run.completed: the same without the error. */
export function completedOf(text: JsonText<Run>, publicUrl: string): EventData<"eval.run.completed"> {
  const { error: _, ...run } = failedOf(text, publicUrl).run;
  return { run };
}
