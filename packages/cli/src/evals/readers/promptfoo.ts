import { InputError } from "../../errors.ts";
import type { Cut } from "./json-cut.ts";
import { type Draft, type FindKey, type Found, jsonReader, type ReadOptions, refuse } from "./reader.ts";
import { has } from "./shape.ts";
import {
  assertionOf,
  caseKeyOf,
  costOf,
  countOf,
  fieldsOf,
  type Fields,
  fit,
  inputKeyOf,
  isFields,
  listOf,
  scoreOf,
  shownOf,
  textOf,
} from "./values.ts";

/** What promptfoo says that an unsuccessful result is: an assertion that failed, or an error. */
const failureReasons = { error: 2 };

/** Variables that promptfoo adds to those of the case, different at every run. */
const ownVariables = ["_conversation", "sessionId"];
const withoutOwn = (variables: Fields): Fields =>
  ownVariables.some((name) => name in variables)
    ? Object.fromEntries(Object.entries(variables).filter(([name]) => !ownVariables.includes(name)))
    : variables;

/** Results as `promptfoo eval -o results.json` writes them. */
export const promptfooJson = jsonReader({
  name: "promptfoo (JSON, JSONL)",
  tool: "promptfoo",
  holdsSeveralRuns: true,
  recognises: (shape) =>
    has(shape, "$.evalId", "$.results") ||
    has(shape, "$.results.version", "$.results.timestamp") ||
    ["$.results.results[]", "$.results[]"].some((one) =>
      has(shape, `${one}.prompt.raw`, `${one}.vars`, `${one}.success`),
    ),
  // Its first files are the results themselves, without a summary around them.
  wanted: ["$.results.results[]", "$.results[]"],
  begin,
});

/** The same, one result a line: `promptfoo eval -o results.jsonl`. */
export const promptfooLines = jsonReader({
  name: "promptfoo (JSON, JSONL)",
  tool: "promptfoo",
  holdsSeveralRuns: true,
  recognises: (shape) => has(shape, "$.promptIdx", "$.testIdx") || has(shape, "$.cost", "$.gradingResult"),
  wanted: ["$"],
  begin,
});

async function begin({ provider, promptLabel, readKeys }: ReadOptions) {
  const findKey = await readKeys?.();
  const seen = new Set<string>();
  let chosen: RunName | undefined;
  return {
    *take({ value, line }: Cut): Iterable<Found> {
      if (!isFields(value)) throw refuse(line, "this is not a result of promptfoo.");
      const run = runOf(value);
      if (seen.size < 10) seen.add(`--provider "${run.label || run.id}" --prompt-label "${run.prompt}"`);
      if (provider !== undefined && provider !== run.id && provider !== run.label) return;
      if (promptLabel !== undefined && promptLabel !== run.prompt) return;
      if (chosen === undefined) yield { header: { model: textOf(run.id.slice(0, maxModel)) } };
      chosen ??= run;
      if (run.id !== chosen.id || run.label !== chosen.label)
        throw several("providers", chosen.label || chosen.id, run.label || run.id, "--provider");
      if (run.index !== chosen.index) throw several("prompts", chosen.prompt, run.prompt, "--prompt-label");
      yield { place: `line ${line}`, result: resultOf(value, findKey) };
    },
    end(): Iterable<Found> {
      if (chosen !== undefined || seen.size === 0) return [];
      throw new InputError(`holds no such run. Choose with ${[...seen].join(", or ")}.`);
    },
  };
}

/** Which of the runs of one file a result belongs to. */
interface RunName {
  /** Empty in the first files, which name no provider. */
  id: string;
  label: string;
  prompt: string;
  index: unknown;
}

function runOf({ provider, prompt, promptIdx }: Fields): RunName {
  const { id, label } = isFields(provider) ? provider : { id: provider, label: "" };
  // Until 2024 the template of a prompt was its display, and prompts had no numbers.
  const { label: promptName, display, raw } = fieldsOf(prompt);
  return {
    id: textOf(id) ?? "",
    label: textOf(label) ?? "",
    prompt: textOf(promptName) ?? textOf(display) ?? textOf(raw) ?? "",
    index: promptIdx ?? display,
  };
}

const maxModel = 200;
const short = (name: string) => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
const several = (what: string, one: string, other: string, option: string) =>
  new InputError(
    `holds results of several ${what}, such as ${short(one)} and ${short(other)}. They are several runs: choose one with ${option}.`,
  );

/** The description of a test. The rows of a CSV have one by their position, which changes when a row is added. */
function nameOf(description: unknown): string | undefined {
  const name = textOf(description);
  return name !== undefined && /^Row #\d+$/.test(name) ? undefined : name;
}

type Assertions = NonNullable<Draft["assertions"]>;

/**
 * A test can fail though each of its assertions passed: its score is below the threshold of all. The first files name no
 * assertions.
 */
const withReason = (parts: Assertions, reason: string | undefined): Assertions =>
  parts.some(({ passed }) => !passed) || reason === undefined
    ? parts
    : [...parts, assertionOf(parts.length === 0 ? undefined : "threshold", false, { reason })];

function resultOf(result: Fields, findKey: FindKey | undefined): Draft {
  const { success, score, failureReason, error, gradingResult, latencyMs, cost } = result;
  const { description, vars: caseVariables } = fieldsOf(result.testCase);
  const variables = withoutOwn(fieldsOf(result.vars ?? caseVariables));
  const { output, tokenUsage } = fieldsOf(result.response);
  const { prompt, completion } = fieldsOf(tokenUsage);
  // Before there was a reason, what an assertion missed was an error as well: of a result that was graded, or at first of one with an output.
  const hasBroken =
    failureReason === undefined
      ? textOf(error) !== undefined && !isFields(gradingResult) && shownOf(output) === undefined
      : failureReason === failureReasons.error;
  const { componentResults, reason } = fieldsOf(gradingResult);
  const parts = listOf(componentResults).map((component) => {
    const { pass, score: part, reason: why, assertion } = fieldsOf(component);
    const { type, metric } = fieldsOf(assertion);
    return assertionOf(textOf(metric) ?? textOf(type), pass === true, { score: part, reason: why });
  });
  return fit({
    caseKey:
      findKey?.(nameOf(description), variables) ||
      caseKeyOf(nameOf(description), inputKeyOf(variables)) ||
      `test ${shownOf(result.testIdx) ?? "without variables"}`,
    status: success === true ? "passed" : hasBroken ? "errored" : "failed",
    score: hasBroken ? undefined : scoreOf(score),
    output: shownOf(output),
    error: hasBroken ? shownOf(error) : undefined,
    assertions: success === true || hasBroken ? parts : withReason(parts, shownOf(reason ?? error)),
    latencyMs: countOf(latencyMs),
    inputTokens: countOf(prompt),
    outputTokens: countOf(completion),
    costUsd: costOf(cost),
  });
}
