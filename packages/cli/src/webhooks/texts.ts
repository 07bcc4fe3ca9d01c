import { cell, plain } from "../terminal/text.ts";
import type { DeliverySummary, Webhook } from "@promptreg/client";
import type { Output } from "../terminal/output.ts";

/** A time of the registry, to the second. */
export const toSecond = (time: string): string => time.replace(/\.\d+Z$/, "Z");

/** What one reads first: whether a webhook works, and why not. */
export function stateOf({ status, disabledReason, consecutiveFailures }: Webhook): string {
  if (status === "disabled") return disabledReason === "failures" ? "disabled after failures" : "disabled";
  return consecutiveFailures === 0 ? "active" : `active, ${consecutiveFailures} failed in a row`;
}

/** Names, or what their absence means. */
export const listOf = (names: readonly string[] | null): string => names?.join(", ") ?? "all";

/** What there is to say of something, by name; what is null is left out. */
export const printFields = (fields: Record<string, string | null>, output: Output): string =>
  output.fields(Object.entries(fields).filter((field): field is [string, string] => field[1] !== null));

/** How the receiver answered the last attempt; null before there was one. */
export function answerOf({
  responseStatus,
  responseTimeMs,
  error,
}: Pick<DeliverySummary, "responseStatus" | "responseTimeMs" | "error">): string | null {
  const answer = responseStatus ?? error;
  if (answer === null) return null;
  return `${cell(String(answer))}${responseTimeMs === null ? "" : `, ${responseTimeMs} ms`}`;
}

const excerptLength = 2_000;

/** The start of a receiver's answer below the line that it belongs to. */
export function printExcerpt(excerpt: string | null): string {
  const text = plain(excerpt ?? "")
    .slice(0, excerptLength)
    .trim();
  return text === "" ? "" : `\n${text.replace(/^/gm, "    ")}`;
}
