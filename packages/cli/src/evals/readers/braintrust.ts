import { type Found, jsonReader, type ReadOptions, refuse } from "./reader.ts";
import type { Cut } from "./json-cut.ts";
import { judged } from "./scores.ts";
import { has, type Shape } from "./shape.ts";
import {
  caseKeyOf,
  countOf,
  costOf,
  fieldsOf,
  fit,
  inputKeyOf,
  isFields,
  shownOf,
  textOf,
} from "./values.ts";

const isRow = (shape: Shape, path: string) =>
  has(shape, `${path}.root_span_id`, `${path}.span_id`, `${path}.scores`);

/** An experiment of Braintrust: its JSON export, or what its API fetches. */
export const braintrustJson = jsonReader({
  name: "Braintrust experiment (JSON, JSONL)",
  tool: "braintrust",
  recognises: (shape) => isRow(shape, "$[]") || isRow(shape, "$.events[]"),
  wanted: ["$[]", "$.events[]"],
  begin,
});
export const braintrustLines = jsonReader({
  name: "Braintrust experiment (JSON, JSONL)",
  tool: "braintrust",
  recognises: (shape) => isRow(shape, "$"),
  wanted: ["$"],
  begin,
});

function begin({ passScore }: ReadOptions) {
  return {
    *take({ value, line }: Cut): Iterable<Found> {
      if (!isFields(value)) throw refuse(line, "this is not a row of Braintrust.");
      // Other rows are steps within a case.
      if (value.span_id !== value.root_span_id) return;
      const { input, output, error, scores } = value;
      const { start, end, prompt_tokens, completion_tokens, estimated_cost } = fieldsOf(value.metrics);
      const named = Object.entries(fieldsOf(scores)).map(([name, score]) => ({
        name,
        score: typeof score === "number" ? score : undefined,
      }));
      const message = isFields(error) ? (textOf(error.message) ?? shownOf(error)) : shownOf(error);
      yield {
        place: `line ${line}`,
        result: fit({
          caseKey: caseKeyOf(inputKeyOf(input)) || "case",
          ...judged(named, passScore),
          ...(message && { status: "errored", score: undefined, error: message }),
          output: shownOf(output),
          latencyMs:
            typeof start === "number" && typeof end === "number" ? countOf((end - start) * 1000) : undefined,
          inputTokens: countOf(prompt_tokens),
          outputTokens: countOf(completion_tokens),
          costUsd: costOf(estimated_cost),
        }),
      };
    },
  };
}
