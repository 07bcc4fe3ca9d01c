import type { PromptKind } from "@promptreg/core";
import { type FormatName, formatNames, type Place, placeFor, toolNames } from "@promptreg/core/formats";
import { UsageError } from "../errors.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";

/**
 * Tools and formats as the command line names them: what a prompt is installed for.
 * @throws {UsageError} for a name that is unknown, or if there is none.
 */
export function checkTargets(tools: readonly string[], formats: readonly string[]): string[] {
  checkNames("tool", tools, toolNames);
  checkNames("format", formats, formatNames);
  if (tools.length + formats.length === 0)
    throw new UsageError(`Name a tool with --for (${toolNames.join(", ")}), or a format with --format.`);
  return [...new Set([...tools, ...formats])];
}

function checkNames(what: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `Unknown ${what} ${unknown}. Known: ${known.join(", ")}.${didYouMean(unknown, known)}`,
    );
}

/**
 * What to write for a target, and into which folder if not into that of the format.
 * @throws {UsageError} for what has no place for all projects. {@link FormatError} for a kind that the tool cannot take.
 */
export function formatFor(
  target: string,
  kind: PromptKind,
  isGlobal: boolean,
): { format: FormatName; folder?: string | undefined } {
  const tool = toolNames.find((name) => name === target);
  const place: Place = tool ? placeFor(tool, kind) : { format: target as FormatName };
  const { format, folder, home } = place;
  if (!isGlobal) return { format, folder };
  if (home !== undefined) return { format, folder: home };
  throw new UsageError(
    tool === undefined
      ? "--global needs --for: a format has no place for all projects."
      : `${tool} has no known folder for prompts of kind ${kind} of all projects. Install it without --global.`,
  );
}
