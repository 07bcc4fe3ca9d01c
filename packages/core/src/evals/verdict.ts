import type { Comparison } from "./compare.ts";
import { judge, type Judgement, type VerdictOptions } from "./judge.ts";
import { sentencesOf, sourcesOf } from "./sentences.ts";

/** What a comparison means, as data and in words. */
export interface Verdict extends Judgement {
  /** In plain words: the verdict first, then what it rests on. No text of a result is in them. */
  sentences: string[];
  /** Where the methods come from. */
  sources: string[];
}

/**
 * Whether the second run is worse than the first by more than noise. Whether both had the same revision of a dataset is
 * for the caller to say.
 * @throws {RangeError} if an option is not from 0 to 1.
 */
export function verdictOf(comparison: Comparison, options: VerdictOptions = {}): Verdict {
  const { maxDrop = 0, threshold = 0 } = options;
  for (const [name, share] of Object.entries({ maxDrop, threshold }))
    if (!(share >= 0 && share <= 1)) throw new RangeError(`${name} is from 0 to 1, and not ${share}.`);
  const judgement = judge(comparison, { maxDrop, threshold });
  return {
    ...judgement,
    sentences: sentencesOf(comparison, judgement, { maxDrop, threshold }),
    sources: sourcesOf(comparison),
  };
}
