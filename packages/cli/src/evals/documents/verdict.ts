import type { Run } from "@promptreg/core";
import type { EvalDocument } from "./document.ts";
import { percent } from "./figures.ts";

/** What a document says first. */
export interface Headline {
  /** The worse of the two verdicts. */
  tone: Tone;
  /** That of the comparison, if there is one, then that of the run. */
  verdicts: Said[];
}
type Tone = "good" | "bad" | "unsure";

/** A verdict in a word or two, and a sentence that says why. No text of a result is in them. */
interface Said {
  tone: Tone;
  word: string;
  sentence: string;
}

const outcomes = {
  regression: { tone: "bad", word: "Regression" },
  no_regression: { tone: "good", word: "No regression" },
  not_comparable: { tone: "unsure", word: "Not comparable" },
} as const;

export function headlineOf({ run, comparison, uncompared }: EvalDocument): Headline {
  const verdicts = [gateOf(run)];
  if (uncompared !== null) verdicts.unshift({ tone: "unsure", word: "Not compared", sentence: uncompared });
  if (comparison !== null) {
    const { tone, word } = outcomes[comparison.verdict.outcome];
    const [sentence = ""] = comparison.verdict.sentences;
    verdicts.unshift({ tone, word, sentence: without(`${word}: `, sentence) });
  }
  const tones = verdicts.map(({ tone }) => tone);
  return {
    tone: tones.includes("bad") ? "bad" : tones.includes("unsure") ? "unsure" : "good",
    verdicts,
  };
}

/** The word stands beside the sentence, and need not begin it. */
function without(start: string, sentence: string): string {
  const rest = sentence.startsWith(start) ? sentence.slice(start.length) : sentence;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function gateOf(run: Run): Said {
  const { status, verdict } = run;
  if (status === "running")
    return { tone: "unsure", word: "Unfinished", sentence: "The run has not completed." };
  if (status === "failed") return { tone: "bad", word: "Run failed", sentence: "The run did not complete." };
  if (verdict === null) return { tone: "unsure", word: "No verdict", sentence: "No result counts." };
  const isPass = verdict === "pass";
  return { tone: isPass ? "good" : "bad", word: isPass ? "Pass" : "Fail", sentence: whyOf(run) };
}

function whyOf(run: Run): string {
  const { verdictSource, threshold, summary } = run;
  const rate =
    summary.passRate === null
      ? "No result counts"
      : `${percent(summary.passRate)} of the results passed${byWeight(summary)}`;
  return verdictSource === "reported"
    ? `${rate}. The verdict is that of the tool.`
    : `${rate}, and ${percent(threshold)} are needed${butErrors(run)}.`;
}

/** Says that results count by the weights of their cases, where that makes a difference. */
export function byWeight({ passRate, passed, total, skipped }: Run["summary"]): string {
  const isWeighted = passRate !== null && Math.abs(passRate - passed / (total - skipped)) > 1e-9;
  return isWeighted ? " by weight" : "";
}

/** Why a run failed although enough results passed; nothing of another run. */
export function butErrors({
  verdict,
  verdictSource,
  threshold,
  summary: { passRate, errored },
}: Run): string {
  const isEnough = verdict === "fail" && verdictSource === "computed" && (passRate ?? 0) >= threshold;
  return isEnough ? `, but ${errored} errored, and a run with errors fails` : "";
}
