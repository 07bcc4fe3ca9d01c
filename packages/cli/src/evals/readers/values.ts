import { createHash } from "node:crypto";
import type { AssertionResult } from "@promptreg/core";
import { maxOutputBytes } from "@promptreg/core";
import type { Draft } from "./reader.ts";
import { isObject } from "../../terminal/objects.ts";

/** A value of a foreign file, whose fields may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields: (value: unknown) => value is Fields = isObject;
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A text as it is, anything else as JSON; undefined if there is nothing. */
export function shownOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

const maxCount = 2_147_483_647;
/** A whole number that a result may hold, or undefined. */
export function countOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 0)) return undefined;
  return value <= maxCount ? Math.round(value) : undefined;
}
export const scoreOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
export const costOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= 1_000_000 ? value : undefined;
const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** The mean of scores, if there are any. */
export function meanOf(scores: readonly number[]): number | undefined {
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score) / scores.length;
}

/**
 * Ends a text at a length, and not within a pair of surrogates. What a registry cannot store is replaced. The bytes are
 * copied, because a part of a text keeps all of it in memory.
 */
const cutText = (text: string, length: number) =>
  Buffer.from(text.slice(0, length)).toString().replaceAll("\0", "\uFFFD");

const maxKey = 200;
/** The name of a case from its parts. A long one ends with a digest of all of it, so that two stay two. */
export function caseKeyOf(...parts: readonly (string | undefined)[]): string {
  const key = parts
    .filter((part) => part !== undefined && part !== "")
    .join(" · ")
    .toWellFormed()
    .replaceAll("\0", "\uFFFD");
  if (key.length <= maxKey) return key;
  const digest = digestOf(key);
  return `${key.slice(0, maxKey - digest.length - 2).toWellFormed()}… ${digest}`.slice(0, maxKey);
}

/** What tells two long names apart. */
export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 12);

/** A file can hold one case of a million fields. */
const maxFields = 1_000;
/** The input of a case as a name: text, or `name=value, …`. */
export function inputKeyOf(input: unknown): string | undefined {
  if (!isFields(input)) return shownOf(input);
  const names: string[] = [];
  for (const name in input) {
    if (names.push(name) === maxFields) break;
  }
  return (
    names
      .sort()
      .map((name) => `${name}=${shownOf(input[name]) ?? "null"}`)
      .join(", ") || undefined
  );
}

const maxReason = 2000;
const maxAssertions = 100;

/** One assertion as the registry takes it. */
export function assertionOf(
  type: string | undefined,
  passed: boolean,
  { score, reason }: { score?: unknown; reason?: unknown },
): AssertionResult {
  const text = shownOf(reason);
  const number = numberOf(score);
  return {
    type: cutText(type ?? "assertion", 100),
    passed,
    ...(number !== undefined && { score: number }),
    ...(text !== undefined && { reason: cutText(text, maxReason) }),
  };
}

/** Ends the texts and lists of a result where the contract does. Of many assertions those that failed come first. */
export function fit({
  output,
  error,
  assertions = [],
  ...draft
}: Partial<Draft> & Pick<Draft, "caseKey" | "status">): Draft {
  const kept =
    assertions.length <= maxAssertions
      ? assertions
      : [...assertions].sort((a, b) => Number(a.passed) - Number(b.passed)).slice(0, maxAssertions);
  const given = Object.entries(draft).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as typeof draft),
    // One unit more than is stored, so that the registry says that it was cut.
    ...(typeof output === "string" && { output: cutText(output, maxOutputBytes + 1) }),
    ...(typeof error === "string" && { error: cutText(error, maxReason) }),
    ...(kept.length > 0 && { assertions: kept }),
  };
}
