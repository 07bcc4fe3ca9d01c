import type { Command } from "commander";
import type { Context } from "../settings/context.ts";

/** What a command does; a number it gives is the exit code. */
export type Work<Given extends unknown[]> = (context: Context, ...given: Given) => Promise<number | void>;

/** Makes what runs when a command is called; the work itself is loaded only then. */
export type Action = <Given extends unknown[]>(
  load: () => Promise<Work<Given>>,
) => (...given: unknown[]) => Promise<void>;

/** A heading of a help text; commander takes the colour away where there is none. */
export const heading = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/** Shows in a command's help how it is used. */
export const example = (command: Command, lines: string): Command =>
  command.addHelpText("after", () => `\n${heading("For example:")}\n${lines.replace(/^/gm, "  ")}`);
