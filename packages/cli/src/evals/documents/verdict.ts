import type { Run } from "@promptreg/core";
import type { EvalDocument } from "./document.ts";
import { percent } from "./figures.ts";

/** What a document says first. */
export interface Headline {
  tone: "good" | "bad" | "unsure";
  /** The verdicts in a word or two each: of the comparison, then of the run. */
  words: string[];
  /** The same as sentences. No text of a result is in them. */
  sentences: string[];
}

const outcomes = {
  regression: { tone: "bad", word: "Regression" },
  no_regression: { tone: "good", word: "No regression" },
  not_comparable: { tone: "unsure", word: "Not comparable" },
} as const;

/** The worse of the two verdicts gives the tone. */
export function headlineOf({ run, comparison }: EvalDocument): Headline {
  const gate = gateOf(run);
  if (comparison === null) return { tone: gate.tone, words: [gate.word], sentences: [gate.sentence] };
  const { tone, word } = outcomes[comparison.verdict.outcome];
  const tones = [tone, gate.tone];
  return {
    tone: tones.includes("bad") ? "bad" : tones.includes("unsure") ? "unsure" : "good",
    words: [word, gate.word],
    sentences: [comparison.verdict.sentences[0] ?? `${word}.`, gate.sentence],
  };
}

interface Gate {
  tone: Headline["tone"];
  word: string;
  sentence: string;
}

function gateOf({ status, verdict, verdictSource, threshold, summary }: Run): Gate {
  if (status === "running") return unsure("Unfinished", "Unfinished: the run is still running.");
  if (status === "failed")
    return { ...unsure("Run failed", "The run failed: it did not complete."), tone: "bad" };
  if (verdict === null) return unsure("No verdict", "No verdict: no result counts.");
  const word = verdict === "pass" ? "Pass" : "Fail";
  const rate =
    summary.passRate === null ? "no result counts" : `${percent(summary.passRate)} of the results passed`;
  const sentence =
    verdictSource === "reported"
      ? `${word}, as the tool reported: ${rate}.`
      : `${word}: ${rate}, and ${percent(threshold)} are needed.`;
  return { tone: verdict === "pass" ? "good" : "bad", word, sentence };
}

const unsure = (word: string, sentence: string): Gate => ({ tone: "unsure", word, sentence });
