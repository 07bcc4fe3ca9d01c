import type { ResultInput } from "@promptreg/core";
import { findSecrets } from "@promptreg/core/secrets";
import { countOf } from "../terminal/text.ts";
import { digestOf } from "./readers/values.ts";

/** Cases whose results hold what looks like a secret, with its kind, by the index of the result. */
export type Leaks = Map<number, { caseKey: string; kind: string }>;

/** A result without its texts that look like secrets, and of which kind the first is; null if it has none. */
export async function withoutSecrets(
  result: ResultInput,
): Promise<{ kind: string; result: ResultInput } | null> {
  const { caseKey, output, error, assertions } = result;
  const reasons = assertions?.flatMap(({ type, reason }) => [type, reason]) ?? [];
  // One search for all texts: most results have no secret, and each search has a price.
  if ((await findSecrets([caseKey, output, error, ...reasons].join("\n"))).length === 0) return null;
  let kind: string | undefined;
  async function clean<T extends string | null | undefined>(text: T): Promise<T | string> {
    const [found] = text ? await findSecrets(text) : [];
    kind ??= found?.kind;
    return found === undefined ? text : `[left out: looks like a secret (${found.kind})]`;
  }
  const key = await clean(caseKey);
  const cleaned = {
    ...result,
    // Two cases stay two.
    caseKey: key === caseKey ? key : `${key} ${digestOf(caseKey)}`,
    output: await clean(output),
    error: await clean(error),
  };
  if (assertions !== undefined) {
    cleaned.assertions = [];
    for (const one of assertions)
      cleaned.assertions.push({ ...one, type: await clean(one.type), reason: await clean(one.reason) });
  }
  return kind === undefined ? null : { kind, result: cleaned };
}

const mostNamed = 5;

/** Says of how many results something is left out, and of which cases. */
export function sayLeaks(leaks: Leaks): string {
  const named = [...leaks.values()].slice(0, mostNamed).map(({ caseKey, kind }) => `${caseKey} (${kind})`);
  const left = leaks.size - named.length;
  const more = left > 0 ? ` and ${left} more` : "";
  const what = leaks.size === 1 ? "holds what looks like a secret" : "hold what looks like secrets";
  return `${countOf(leaks.size, "result")} ${what}: ${named.join(", ")}${more}. These texts are left out. --allow-secrets sends them.`;
}
