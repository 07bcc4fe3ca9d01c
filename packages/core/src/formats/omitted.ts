import { listed } from "../template/variable.ts";
import type { FormatPrompt } from "./format.ts";
import { printable } from "./text.ts";

/** A sentence about the defaults of variables, for a format that has no place for them. */
export function omittedDefaults({ version }: FormatPrompt, tool: string): string[] {
  const names = version.variables.flatMap(({ name, default: value }) => (value === null ? [] : [name]));
  return names.length === 0
    ? []
    : [`${tool} has no defaults of variables. Give the values of ${listed(names)} yourself.`];
}

/** A sentence about the settings of the model that a format has no place for: all but those that it `keeps`. */
export function omittedSettings({ version }: FormatPrompt, tool: string, keeps: readonly string[]): string[] {
  const names = Object.keys(version.config).filter((name) => !keeps.includes(name));
  return names.length === 0
    ? []
    : [`${tool} has no place for these settings: ${listed(names.map(printable))}.`];
}
