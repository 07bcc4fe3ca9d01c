import type { AssertionResult } from "@promptreg/core";
import type { Draft } from "./reader.ts";
import { assertionOf, meanOf } from "./values.ts";

/** A score that a tool gave to a case. One that is null is not counted. */
export interface NamedScore {
  name: string;
  score: number | undefined;
  reason?: unknown;
}

/**
 * The verdict on a case of a tool that gives only scores: it passes if each of them reaches `passScore`. Without any score
 * nothing was judged, and it is skipped.
 */
export function judged(
  scores: readonly NamedScore[],
  passScore: number,
): { status: Draft["status"]; score: number | undefined; assertions: AssertionResult[] } {
  const given = scores.filter((one): one is NamedScore & { score: number } => one.score !== undefined);
  const assertions = given.map(({ name, score, reason }) =>
    assertionOf(name, score >= passScore, { score, reason }),
  );
  const passes = assertions.every(({ passed }) => passed);
  return {
    status: given.length === 0 ? "skipped" : passes ? "passed" : "failed",
    score: meanOf(given.map(({ score }) => score).filter((score) => score >= 0 && score <= 1)),
    assertions,
  };
}
