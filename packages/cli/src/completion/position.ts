import type { Argument, Command, Option } from "commander";
import { commandOf } from "../grammar/habits.ts";

/** A word that could stand there, and what it means. */
export type Candidate = readonly [word: string, meaning: string];

/** Where the cursor is on a command line: what the grammar expects there, and what was said before. */
export interface Position {
  command: Command;
  /** The word under the cursor as far as it is written; of `--name=value` the value alone. */
  word: string;
  /** What stands before that value: `--name=`. */
  before: string;
  expected: "command" | "option" | Argument | Option | undefined;
  /** The arguments before it by their names in the grammar, and the options by theirs. */
  earlier: Readonly<Record<string, string>>;
  /** The arguments as they stand. */
  given: readonly string[];
}

/** Reads a command line as commander would, up to its last word. */
export function positionOf(program: Command, words: readonly string[]): Position {
  const line = [...words];
  const word = line.pop() ?? "";
  const earlier: Record<string, string> = {};
  const given: string[] = [];
  let command = program;
  let isHelp = false;
  let pending: Option | undefined;
  for (const one of line) {
    if (pending !== undefined) {
      earlier[pending.attributeName()] = one;
      pending = undefined;
    } else if (one.length > 1 && one.startsWith("-")) {
      const [flag = "", value] = one.split(/=(.*)/s);
      const option = optionOf(command, flag);
      if (value === undefined && option?.required) pending = option;
      else if (option) earlier[option.attributeName()] = value ?? "";
    } else if (command === program && one === "help") isHelp = true;
    else {
      const next = given.length === 0 && commandOf(command, one);
      if (next) command = next;
      else {
        earlier[argumentAt(command, given.length)?.name() ?? ""] = one;
        given.push(one);
      }
    }
  }
  const found = (expected: Position["expected"], before = "") => ({
    command,
    word: word.slice(before.length),
    before,
    expected,
    earlier,
    given,
  });
  if (pending) return found(pending);
  const flag = /^(--[\w-]+)=/.exec(word);
  if (flag) return found(optionOf(command, flag[1] ?? ""), flag[0]);
  if (word.startsWith("-")) return found("option");
  const isNoun = command.commands.length > 0 && command.registeredArguments.length === 0;
  if (isNoun && given.length === 0) return found("command");
  return found(isHelp ? undefined : argumentAt(command, given.length));
}

function argumentAt({ registeredArguments: all }: Command, index: number): Argument | undefined {
  return all[index] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
}

/** Options of a command, and those that every command has. */
export function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  // Otherwise commander leaves those of the program out.
  help.showGlobalOptions = true;
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

const optionOf = (command: Command, flag: string) =>
  optionsOf(command).find(({ long, short }) => flag === long || flag === short);
