import { methodNumber } from "@promptreg/core/evals";
import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Prompt, promptsOf } from "../../../test/seed/prompts.ts";
import type { Registry } from "../../../test/seed/registry.ts";
import { at, type Cell, json, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "eval_datasets",
    columns: "id prompt_id name visibility case_count last_position created_at updated_at".split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < datasetsOf(prompt); nth++) {
          const { id, createdMs } = datasetAt(prompt, nth);
          const cases = casesOf(prompt, nth);
          yield [
            id,
            prompt.id,
            `Set ${nth}`,
            nth % 2 === 0 ? "public" : "private",
            cases,
            cases,
            at(createdMs),
            at(createdMs),
          ];
        }
      }
    },
  },
  {
    name: "eval_cases",
    columns: "id dataset_id key position variables expected assertions tags weight".split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < datasetsOf(prompt); nth++) {
          for (let index = 0; index < casesOf(prompt, nth); index++) yield caseRow(prompt, nth, index);
        }
      }
    },
  },
  {
    name: "eval_runs",
    columns: (
      "id prompt_id version_n model dataset_id dataset_name dataset_revision params threshold status verdict " +
      "verdict_source summary created_by created_at heard_at finished_at"
    ).split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < prompt.runs; nth++) yield runRow(registry, prompt, nth);
      }
    },
  },
  {
    name: "eval_results",
    columns: (
      "id run_id case_key attempt index status score output output_truncated assertions latency_ms input_tokens " +
      "output_tokens cost_usd"
    ).split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < prompt.runs; nth++) {
          const results = resultsOf(registry, prompt, nth);
          for (let index = 0; index < results; index++) yield resultRow(registry, { prompt, nth, index });
        }
      }
    },
  },
  {
    name: "eval_comparisons",
    columns: "a_run_id b_run_id method prompt_id bytes made_at".split(" "),
    *rows(registry) {
      for (const { pair, prompt, madeMs } of comparisonsIn(registry))
        yield [...pair, prompt.id, 100, at(madeMs)];
    },
  },
  {
    name: "eval_compared_cases",
    columns: "a_run_id b_run_id method change last_key keys".split(" "),
    *rows(registry) {
      for (const { pair } of comparisonsIn(registry)) {
        yield [...pair, "broken", "case-1", "{case-0,case-1}"];
        yield [...pair, "samePass", "case-3", "{case-2,case-3}"];
      }
    },
  },
];

/** Most runs were compared with the one before. The newest of the one prompt were not. */
function* comparisonsIn(registry: Registry) {
  for (const prompt of promptsOf(registry)) {
    const compared = prompt.index === 0 ? prompt.runs - 1 : prompt.runs;
    for (let nth = 1; nth < Math.min(compared, 200); nth++) {
      const [a, b] = [runAt(registry, prompt, nth - 1), runAt(registry, prompt, nth)];
      yield { prompt, pair: [a.id, b.id, methodNumber], madeMs: b.createdMs };
    }
  }
}

/** One prompt has as many as it may, and its first one as many cases as it may. */
const datasetsOf = ({ index }: Prompt): number => (index === 0 ? 50 : index % 20 === 0 ? 1 : 0);
const casesOf = ({ index }: Prompt, nth: number): number => (index === 0 && nth === 0 ? 10_000 : 4);

const datasetAt = ({ index, createdMs }: Prompt, nth: number) => ({
  id: idOf("eds", createdMs, index * 64 + nth),
  createdMs,
});

const caseRow = (prompt: Prompt, nth: number, index: number): Cell[] => [
  idOf("ecs", prompt.createdMs + index, prompt.index * 16_384 + nth * 8 + index),
  datasetAt(prompt, nth).id,
  `case-${index + 1}`,
  index + 1,
  json({ name: `reader ${index}` }),
  json("It is as it should be."),
  json([{ type: "contains", value: "should" }]),
  index % 1_000 === 999 ? "{rare}" : "{}",
  1,
];

const resultsOf = ({ size }: Registry, { index, runs }: Prompt, nth: number): number =>
  index === 0 ? (nth === runs - 1 ? size.one.results : 0) : 4;

const runAt = ({ untilMs }: Registry, { index, runs, committedMs }: Prompt, nth: number) => {
  const createdMs = committedMs + Math.floor(((untilMs - committedMs) * nth) / (runs + 1));
  return { id: idOf("run", createdMs, index * 8_192 + nth), createdMs };
};

/** A run of each prompt that has a public dataset. Of the first prompt it would have no results. */
export function* openRunsOf(registry: Registry): Generator<{ id: string; promptId: string }> {
  for (const prompt of promptsOf(registry))
    if (prompt.index > 0 && prompt.runs > 0 && datasetsOf(prompt) > 0)
      yield { id: runAt(registry, prompt, 0).id, promptId: prompt.id };
}

function runRow(registry: Registry, prompt: Prompt, nth: number): Cell[] {
  const draw = new Draw(registry.number, 11, prompt.index, nth);
  const { id, createdMs } = runAt(registry, prompt, nth);
  const total = resultsOf(registry, prompt, nth);
  const isFailed = draw.happens(0.01);
  const verdict = isFailed ? null : draw.happens(0.8) ? "pass" : "fail";
  const counts = {
    total,
    passed: total,
    failed: 0,
    errored: 0,
    skipped: 0,
    cases: total,
    passRate: total ? 1 : null,
    score: null,
  };
  const sums = { latencyMsP50: null, latencyMsP95: null, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  return [
    id,
    prompt.id,
    1 + draw.below(prompt.versions),
    `model-${draw.skewed(8)}`,
    ...(datasetsOf(prompt) > 0 && nth % 3 === 0 ? [datasetAt(prompt, 0).id, "Set 0", 1] : [null, null, null]),
    "{}",
    1,
    isFailed ? "failed" : "completed",
    verdict,
    verdict && "computed",
    json({ ...counts, ...sums }),
    prompt.owner.id,
    at(createdMs),
    at(createdMs),
    at(createdMs),
  ];
}

function resultRow(
  registry: Registry,
  { prompt, nth, index }: { prompt: Prompt; nth: number; index: number },
): Cell[] {
  const draw = new Draw(registry.number, 12, prompt.index, nth, index);
  const run = runAt(registry, prompt, nth);
  const status = draw.weighted([
    ["passed", 90],
    ["failed", 8],
    ["errored", 1],
    ["skipped", 1],
  ]);
  const latencyMs = 200 + draw.below(3_000);
  return [
    // The large runs of one prompt have so many results that their numbers need a range of their own.
    idOf("res", run.createdMs + index, prompt.index * 400_000 + nth * 4 + index),
    run.id,
    `case-${index}`,
    1,
    index,
    status,
    status === "passed" ? 1 : 0,
    "It is as it should be.",
    false,
    json([{ type: "contains", passed: status === "passed", score: null, reason: "" }]),
    latencyMs,
    100 + draw.below(400),
    20 + draw.below(200),
    0.0001,
  ];
}
