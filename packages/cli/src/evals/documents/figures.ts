import type { RunSummary } from "@promptreg/core";
import type { EvalDocument } from "./document.ts";

/** A line of the table of figures, as it is printed. */
export interface Figure {
  name: string;
  /** Null without a comparison, as `change`. */
  before: string | null;
  now: string;
  change: string | null;
  /** Whether the change is for better or worse; null if it is neither. */
  tone: "good" | "bad" | null;
}

interface Kind {
  name: string;
  value: (summary: RunSummary) => number | null;
  show: (value: number) => string;
  /** How a difference is printed, without its sign. */
  step?: (change: number) => string;
  /** Whether more is better (1), worse (-1), or neither (0). */
  better: 1 | -1 | 0;
  /** Whether a zero on both sides is shown. */
  isAlways?: boolean;
}

/** Shares as in the sentences of the verdict: `82.5%`. */
export const percent = (share: number): string => `${rounded(share * 100, 1)}%`;
export const decimal = (value: number): string => rounded(value, 3);
/** As in the sentences of the verdict. */
export const probability = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));
export const whole = (count: number): string => Math.round(count).toLocaleString("en");
const rounded = (value: number, digits: number) => String(Number(value.toFixed(digits)) || 0);
const points = (share: number) => {
  const text = rounded(share * 100, 1);
  return `${text} point${text === "1" ? "" : "s"}`;
};
export const time = (ms: number): string => (ms < 1000 ? `${whole(ms)} ms` : `${rounded(ms / 1000, 1)} s`);
export const dollars = (amount: number): string =>
  `$${amount >= 1 || amount === 0 ? amount.toFixed(2) : Number(amount.toPrecision(2))}`;

const kinds: Kind[] = [
  {
    name: "Pass rate",
    value: ({ passRate }) => passRate,
    show: percent,
    step: points,
    better: 1,
    isAlways: true,
  },
  { name: "Score", value: ({ score }) => score, show: decimal, better: 1, isAlways: true },
  { name: "Passed", value: ({ passed }) => passed, show: whole, better: 1, isAlways: true },
  { name: "Failed", value: ({ failed }) => failed, show: whole, better: -1, isAlways: true },
  { name: "Errored", value: ({ errored }) => errored, show: whole, better: -1 },
  { name: "Skipped", value: ({ skipped }) => skipped, show: whole, better: 0 },
  { name: "Latency p50", value: ({ latencyMsP50 }) => latencyMsP50, show: time, better: 0 },
  { name: "Latency p95", value: ({ latencyMsP95 }) => latencyMsP95, show: time, better: 0 },
  { name: "Input tokens", value: ({ inputTokens }) => inputTokens, show: whole, better: 0 },
  { name: "Output tokens", value: ({ outputTokens }) => outputTokens, show: whole, better: 0 },
  { name: "Cost", value: ({ costUsd }) => costUsd, show: dollars, better: 0 },
];

/** The totals of the run, and of the run before. They count all results, not only those that can be compared. */
export function figuresOf({ run, comparison }: EvalDocument): Figure[] {
  return kinds.flatMap((kind) => {
    const now = kind.value(run.summary);
    const before = comparison && kind.value(comparison.before.summary);
    const isEmpty = kind.isAlways ? now === null && before === null : !now && !before;
    return isEmpty ? [] : [figureOf(kind, before, now, comparison !== null)];
  });
}

function figureOf(kind: Kind, before: number | null, now: number | null, isCompared: boolean): Figure {
  const show = (value: number | null) => (value === null ? "none" : kind.show(value));
  const figure = { name: kind.name, now: show(now), before: isCompared ? show(before) : null };
  if (now === null || before === null) return { ...figure, change: isCompared ? "" : null, tone: null };
  const change = now - before;
  return { ...figure, change: signed(change, kind.step ?? kind.show), tone: toneOf(change * kind.better) };
}

const toneOf = (gain: number) => (gain > 0 ? "good" : gain < 0 ? "bad" : null);

function signed(change: number, show: (value: number) => string): string {
  const text = show(Math.abs(change));
  return change === 0 || text === show(0) ? "0" : `${change > 0 ? "+" : "−"}${text}`;
}

/** The scores of assertions by type. They are shown, and do not decide. */
export function metricsOf({ comparison }: EvalDocument): (Figure & { p: string })[] {
  return (comparison?.verdict.metrics ?? []).map(({ name, a, b, change, pWorse }) => ({
    name,
    before: decimal(a),
    now: decimal(b),
    change: signed(change, decimal),
    tone: toneOf(change),
    p: probability(pWorse),
  }));
}
