import { InputError } from "../../errors.ts";
import { type Draft, type Found, jsonReader, type ReadOptions, refuse } from "./reader.ts";
import type { Cut } from "./json-cut.ts";
import { judged } from "./scores.ts";
import { has, type Shape } from "./shape.ts";
import {
  caseKeyOf,
  countOf,
  type Fields,
  fieldsOf,
  fit,
  inputKeyOf,
  isFields,
  listOf,
  shownOf,
  textOf,
} from "./values.ts";

const isItem = (shape: Shape, path: string) => has(shape, `${path}.experimentId`, `${path}.experimentItemId`);

/** An experiment of Langfuse: the items of its API, or the result of its experiment runner as JSON. */
export const langfuseJson = jsonReader({
  name: "Langfuse experiment (JSON, JSONL)",
  tool: "langfuse",
  recognises: (shape) =>
    isItem(shape, "$[]") || isItem(shape, "$.data[]") || has(shape, "$.itemResults[].evaluations"),
  wanted: ["$[]", "$.data[]", "$.itemResults[]"],
  begin,
});
export const langfuseLines = jsonReader({
  name: "Langfuse experiment (JSON, JSONL)",
  tool: "langfuse",
  recognises: (shape) => isItem(shape, "$"),
  wanted: ["$"],
  begin,
});

function begin({ passScore }: ReadOptions) {
  let experiment: unknown;
  return {
    *take({ value, line }: Cut): Iterable<Found> {
      if (!isFields(value)) throw refuse(line, "this is not an item of a Langfuse experiment.");
      experiment ??= value.experimentId;
      if (value.experimentId !== experiment) {
        throw new InputError(
          `line ${line}: it holds several experiments. They are several runs: export one at a time.`,
        );
      }
      yield { place: `line ${line}`, result: resultOf(value, passScore) };
    },
  };
}

function resultOf(item: Fields, passScore: number): Draft {
  const { output, level, startTime, endTime } = item;
  const scores = listOf(item.scores ?? item.evaluations).map(fieldsOf);
  const named = scores.map(({ name, value, comment }) => ({
    name: textOf(name) ?? "score",
    score: typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : undefined,
    reason: comment,
  }));
  const latency = Date.parse(shownOf(endTime) ?? "") - Date.parse(shownOf(startTime) ?? "");
  return fit({
    caseKey: caseKeyOf(textOf(item.experimentItemId) ?? keyOfItem(item)) || "item",
    ...judged(named, passScore),
    ...(level === "ERROR" && { status: "errored", score: undefined, error: "the item ended with an error" }),
    output: shownOf(output),
    latencyMs: countOf(latency),
  });
}

/** A case of a dataset by its id, another one by its input. */
function keyOfItem({ item, input }: Fields): string | undefined {
  const { id, input: ownInput } = fieldsOf(item);
  return textOf(id) ?? inputKeyOf(input ?? ownInput);
}
