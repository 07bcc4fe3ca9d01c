import type { Io } from "../terminal/io.ts";
import { Argument, type Command, Option } from "commander";
import { type Candidate, optionsOf, type Position, positionOf } from "./position.ts";

/**
 * Prints what could stand at the last of the words, a line each: the word, a tab and its meaning. A last line `:files`
 * asks the shell for names of files too. Whatever goes wrong is kept quiet, for somebody is in the middle of typing.
 */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<void> {
  const position = positionOf(program, words);
  const all = await candidatesAt(position, io).catch(() => []);
  const { word, before } = position;
  const fitting = all.filter(([candidate]) => candidate.startsWith(word));
  const lines = fitting.map(
    ([candidate, meaning]) => `${before}${oneLine(candidate)}\t${oneLine(meaning)}\n`,
  );
  io.stdout.write(lines.join("") + (takesFiles(position) ? ":files\n" : ""));
}

/** What others have written goes to a shell and a terminal. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, " ").slice(0, 200);

async function candidatesAt(position: Position, io: Io): Promise<readonly Candidate[]> {
  const { command, expected, earlier, given } = position;
  // `fork` takes a prompt, or a verb.
  const isFirst = expected === "command" || (expected instanceof Argument && given.length === 0);
  const verbs = (isFirst ? command.createHelp().visibleCommands(command) : []).map(
    (each): Candidate => [each.name(), each.description()],
  );
  if (expected === "command") return verbs;
  if (expected === "option") {
    return optionsOf(command)
      .filter((option) => option.variadic || option.parseArg || !(option.attributeName() in earlier))
      .map(({ long, short, description }) => [long ?? short ?? "", description]);
  }
  if (expected === undefined) return [];
  if (expected.argChoices) return expected.argChoices.map((choice) => [choice, ""]);
  const { valuesOf } = await import("./values.ts");
  return [...verbs, ...((await valuesOf(namesOf(position), position, io)) ?? [])];
}

/**
 * What a value is, as the grammar names it: an option by its flag or by its value, an argument by its name, or, where that
 * says too little, together with its noun.
 */
function namesOf({ command, expected }: Position): string[] {
  if (expected instanceof Option) return [expected.name(), /<([\w-]+)>/.exec(expected.flags)?.[1] ?? ""];
  if (expected instanceof Argument) return [expected.name(), `${command.parent?.name()} ${expected.name()}`];
  return [];
}

const files = ["folder", "place", "file", "path", "body", "into", "out", "secret-file", "what", "name=value"];
const takesFiles = (position: Position) =>
  namesOf(position).some((name) => (name === "name=value" ? /=@/.test(position.word) : files.includes(name)));
