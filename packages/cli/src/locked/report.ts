import { cell, countOf } from "../terminal/text.ts";
import { CheckError } from "../errors.ts";
import type { Output } from "../terminal/output.ts";

/** One locked prompt, checked. */
export interface Checked {
  ref: string;
  version: number;
  contentHash: string;
  /** What does not hold; null where all of it does. */
  problem: string | null;
}

/**
 * Tells what came of checking a lockfile.
 * @throws {CheckError} when something does not hold.
 */
export function reportChecks(output: Output, file: string, prompts: readonly Checked[], holds: string): void {
  const { bold } = output.colors;
  const faulty = prompts.filter(({ problem }) => problem !== null);
  output.result({ file, prompts }, () =>
    faulty.length === 0
      ? `${file} is valid: ${countOf(prompts.length, "prompt")}, each ${holds}`
      : faulty.map(({ ref, problem }) => `${bold(cell(ref))}: ${cell(problem ?? "")}`).join("\n"),
  );
  if (faulty.length > 0)
    throw new CheckError(`${file} is not valid: ${faulty.length} of ${prompts.length} prompts failed.`);
}
