import type { EventData, JsonText, Run } from "@promptreg/core";

/** What the events of an ended run say; the one of a failed run says why. */
export function toldOf(text: JsonText<Run>, publicUrl: string): EventData<"eval.run.failed"> {
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
