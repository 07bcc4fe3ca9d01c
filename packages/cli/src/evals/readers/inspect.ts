import { type Draft, jsonReader, refuse } from "./reader.ts";
import { judged, type NamedScore } from "./scores.ts";
import { has } from "./shape.ts";
import {
  caseKeyOf,
  countOf,
  type Fields,
  fieldsOf,
  fit,
  isFields,
  listOf,
  shownOf,
  textOf,
} from "./values.ts";

/** Logs of Inspect AI as JSON: `inspect eval --log-format json`, or `inspect log convert --to json`. */
export const inspect = jsonReader({
  name: "Inspect AI log (.json)",
  tool: "inspect-ai",
  saysAttempts: true,
  recognises: (shape) => has(shape, "$.eval.task", "$.eval.model"),
  wanted: ["$.eval.model", "$.samples[]"],
  begin: ({ passScore }) => ({
    *take({ path, value, line }) {
      if (path === "$.eval.model") {
        const model = textOf(value);
        if (model !== undefined) yield { header: { model: model.slice(0, 200) } };
      } else if (!isFields(value)) throw refuse(line, "this is not a sample of Inspect AI.");
      else yield { place: `line ${line}`, result: resultOf(value, passScore) };
    },
  }),
});

/** Letters of Inspect's scorers: correct, partial, incorrect, no answer. */
const letters: ReadonlyMap<unknown, number> = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);

function scoresOf(name: string, value: unknown, reason: unknown): NamedScore[] {
  if (isFields(value)) {
    return Object.entries(value).flatMap(([part, one]) => scoresOf(`${name}.${part}`, one, reason));
  }
  const number =
    typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : letters.get(value);
  return [{ name, score: number, reason }];
}

function resultOf(sample: Fields, passScore: number): Draft {
  const { id, epoch, error, scores, output, total_time: seconds } = sample;
  const verdict = judged(
    Object.entries(fieldsOf(scores)).flatMap(([name, score]) => {
      const { value, explanation, answer } = fieldsOf(score);
      return scoresOf(name, value, explanation ?? answer);
    }),
    passScore,
  );
  const usages = Object.values(fieldsOf(sample.model_usage)).map(fieldsOf);
  const sumOf = (name: string) =>
    usages.length === 0
      ? undefined
      : countOf(usages.reduce((sum, usage) => sum + (countOf(usage[name]) ?? 0), 0));
  return fit({
    caseKey: caseKeyOf(shownOf(id)) || "sample",
    attempt: typeof epoch === "number" ? epoch : 1,
    ...verdict,
    ...(isFields(error) && { status: "errored", score: undefined, error: textOf(error.message) ?? "error" }),
    output: outputOf(fieldsOf(output)),
    latencyMs: typeof seconds === "number" ? countOf(seconds * 1000) : undefined,
    inputTokens: sumOf("input_tokens"),
    outputTokens: sumOf("output_tokens"),
  });
}

/** The first answer of the model. Its content is text, or parts of which some are text. */
function outputOf({ completion, choices }: Fields): string | undefined {
  if (textOf(completion) !== undefined) return textOf(completion);
  const { content } = fieldsOf(fieldsOf(listOf(choices)[0]).message);
  if (!Array.isArray(content)) return textOf(content);
  return content.flatMap((part) => textOf(fieldsOf(part).text) ?? []).join("\n") || undefined;
}
