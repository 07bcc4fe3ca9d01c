import { type Draft, jsonReader, refuse } from "./reader.ts";
import { has } from "./shape.ts";
import {
  assertionOf,
  caseKeyOf,
  costOf,
  countOf,
  type Fields,
  fieldsOf,
  fit,
  inputKeyOf,
  isFields,
  listOf,
  meanOf,
  scoreOf,
  shownOf,
  textOf,
} from "./values.ts";

const lists = ["testCases", "conversationalTestCases"];

/** Results as deepeval keeps them: `.deepeval/.latest_run_full.json`, or a file of DEEPEVAL_RESULTS_FOLDER. */
export const deepeval = jsonReader({
  name: "deepeval JSON",
  tool: "deepeval",
  recognises: (shape) =>
    lists.some(
      (list) =>
        has(shape, `$.${list}[].metricsData`) ||
        has(shape, `$.testRunData.${list}[].metricsData`) ||
        has(shape, `$.${list}`, "$.testFile"),
    ),
  wanted: lists.flatMap((list) => [`$.${list}[]`, `$.testRunData.${list}[]`]),
  begin: () => ({
    *take({ value, line }) {
      if (!isFields(value)) throw refuse(line, "this is not a test case of deepeval.");
      yield { place: `line ${line}`, result: resultOf(value) };
    },
  }),
});

/** A name that deepeval gives by the case's position. */
const isNumbered = (name: string) => /^(conversational_)?test_case_\d+$/.test(name);

function resultOf(testCase: Fields): Draft {
  const { name, success, input, scenario, turns, actualOutput, completionTime } = testCase;
  const metrics = listOf(testCase.metricsData).map(fieldsOf);
  const judged = metrics.filter(({ error }) => textOf(error) === undefined);
  const errors = metrics.flatMap(({ name: metric, error }) =>
    textOf(error) === undefined ? [] : [`${textOf(metric) ?? "metric"}: ${shownOf(error)}`],
  );
  // A metric that broke is no verdict. One that failed is, whatever else broke.
  const hasFailed = judged.some(({ success: passed, flaky }) => passed === false && flaky !== true);
  const hasBroken = !hasFailed && errors.length > 0;
  const own = textOf(name);
  return fit({
    caseKey:
      caseKeyOf(
        own !== undefined && !isNumbered(own) ? own : undefined,
        inputKeyOf(input) ?? textOf(scenario),
      ) ||
      (own ?? "case"),
    status: hasBroken ? "errored" : success === true ? "passed" : success === false ? "failed" : "skipped",
    score: hasBroken ? undefined : meanOf(judged.flatMap(({ score }) => scoreOf(score) ?? [])),
    output: shownOf(actualOutput) ?? lastTurnOf(turns),
    error: errors.length > 0 ? errors.join("\n") : undefined,
    assertions: judged.map(({ name: metric, success: passed, score, reason }) =>
      assertionOf(textOf(metric), passed === true, { score, reason }),
    ),
    latencyMs: typeof completionTime === "number" ? countOf(completionTime * 1000) : undefined,
    inputTokens: countOf(testCase.inputTokenCount),
    outputTokens: countOf(testCase.outputTokenCount),
    costUsd: costOf(testCase.tokenCost),
  });
}

/** What the assistant said last in a conversation. */
function lastTurnOf(turns: unknown): string | undefined {
  const said = listOf(turns)
    .map(fieldsOf)
    .filter(({ role }) => role === "assistant");
  return shownOf(said.at(-1)?.content);
}
