import { type Draft, type Found, jsonReader, refuse } from "./reader.ts";
import { judged } from "./scores.ts";
import { has } from "./shape.ts";
import {
  assertionOf,
  caseKeyOf,
  fieldsOf,
  type Fields,
  fit,
  isFields,
  listOf,
  shownOf,
  textOf,
} from "./values.ts";

/** What is known of a sample whose verdict has not come. */
interface Pending {
  place: string;
  output?: string | undefined;
  error?: string | undefined;
}

/** Many more than run at a time. They are in memory. */
const maxPending = 1000;

/** Logs of OpenAI's `oaieval`: a line a specification, then a line an event; a sample's verdict is its last. */
export const openaiEvals = jsonReader({
  name: "OpenAI evals JSONL",
  tool: "openai-evals",
  recognises: (shape) =>
    has(shape, "$.spec.completion_fns") || has(shape, "$.run_id", "$.event_id", "$.sample_id"),
  wanted: ["$"],
  begin: ({ passScore }) => {
    const pending = new Map<string, Pending>();
    return {
      *take({ value, line }): Iterable<Found> {
        if (!isFields(value)) throw refuse(line, "this is not an event of OpenAI evals.");
        const model = textOf(listOf(fieldsOf(value.spec).completion_fns)[0]);
        if (model !== undefined) yield { header: { model: model.slice(0, 200) } };
        const sample = textOf(value.sample_id);
        if (sample === undefined) return;
        const known = pending.get(sample) ?? { place: `line ${line}` };
        const data = fieldsOf(value.data);
        const verdict = verdictOf(value.type, data, passScore);
        if (verdict !== undefined) {
          pending.delete(sample);
          yield { place: `line ${line}`, result: resultOf(sample, known, verdict) };
          return;
        }
        if (value.type === "sampling") known.output = shownOf(sampledOf(data.sampled));
        if (value.type === "error") known.error = textOf(data.message) ?? "error";
        if (value.type === "sampling" || value.type === "error") pending.set(sample, known);
        if (pending.size > maxPending) {
          throw refuse(line, `more than ${maxPending} samples have no verdict: no match and no metrics.`);
        }
      },
      *end(): Iterable<Found> {
        for (const [sample, known] of pending) {
          const { place, error = "no verdict was recorded" } = known;
          yield { place, result: resultOf(sample, { ...known, error }, { status: "errored" }) };
        }
      },
    };
  },
});

/** The answer of a model, one of which is recorded as a list of one. */
const sampledOf = (sampled: unknown) =>
  Array.isArray(sampled) && sampled.length === 1 ? (sampled[0] as unknown) : sampled;

type Verdict = Pick<Draft, "status"> & Partial<Draft>;

function verdictOf(type: unknown, data: Fields, passScore: number): Verdict | undefined {
  if (type === "match") {
    const passed = data.correct === true;
    const expected = shownOf(data.expected);
    const reason = passed || expected === undefined ? undefined : `expected ${expected}`;
    return {
      status: passed ? "passed" : "failed",
      score: Number(passed),
      assertions: [assertionOf("match", passed, { reason })],
    };
  }
  if (type !== "metrics") return undefined;
  const scores = Object.entries(data).flatMap(([name, score]) => {
    const number = typeof score === "boolean" ? Number(score) : score;
    return typeof number === "number" ? [{ name, score: number }] : [];
  });
  return judged(scores, passScore);
}

const resultOf = (sample: string, { output, error }: Pending, verdict: Verdict): Draft =>
  fit({ caseKey: caseKeyOf(sample), output, error, ...verdict });
