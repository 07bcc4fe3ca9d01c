import type { PromptKind } from "@promptreg/core";
import { type FormatName, formatNames } from "@promptreg/core/formats";
import { UsageError } from "../errors.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";

/** How a tool takes prompts of a kind. */
interface Taken {
  format: FormatName;
  /** Where the format's own folder, the first of both, is for this tool. */
  folder?: readonly [own: string, here: string];
  /** The same for all projects of a user, below the home folder. */
  home?: string;
}

const skill = (home: string): Record<string, Taken> => {
  const taken: Taken = { format: "agent-skill", folder: [".agents/skills", home], home };
  return { text: taken, skill: taken, agent: taken, rule: taken, command: taken };
};

const tools: Readonly<Record<string, Readonly<Record<string, Taken>>>> = {
  agents: skill(".agents/skills"),
  claude: skill(".claude/skills"),
};

export const toolNames = Object.keys(tools);

/** What to write for a tool or in a format, and where. */
export interface Target {
  format: FormatName;
  placeOf: (path: string) => string;
  /** The file belongs to the project, and the prompt gets a section of it. */
  isShared?: boolean;
}

/**
 * Tools and formats as the command line names them.
 * @throws {UsageError} for a name that is unknown, or if there is none.
 */
export function checkTargets(tools: readonly string[], formats: readonly string[]): string[] {
  const all = [...new Set([...tools, ...formats])];
  if (all.length === 0)
    throw new UsageError(`Name a tool with --for. Tools: ${toolNames.join(", ")}. --format names a format.`);
  for (const [option, names, known] of [
    ["tool", tools, toolNames],
    ["format", formats, formatNames],
  ] as const)
    for (const name of names)
      if (!known.some((one) => one === name))
        throw new UsageError(
          `Unknown ${option} ${name}. Known: ${known.join(", ")}.${didYouMean(name, known)}`,
        );
  return all;
}

/** @throws {UsageError} for a tool that cannot take the kind. */
export function targetOf(name: string, kind: PromptKind, isGlobal: boolean): Target {
  if (formatNames.some((one) => one === name)) {
    if (isGlobal) throw new UsageError("--global needs --for: a format has no place for all projects.");
    return { format: name as FormatName, placeOf: (path) => path };
  }
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined)
    throw new UsageError(
      `Unknown tool or format ${name}.${didYouMean(name, [...toolNames, ...formatNames])}`,
    );
  const taken = tool[kind];
  if (taken === undefined)
    throw new UsageError(`${name} takes no prompts of kind ${kind}, only: ${Object.keys(tool).join(", ")}.`);
  const { format, folder: [own, here] = ["", ""], home } = taken;
  if (isGlobal && home === undefined)
    throw new UsageError(`${name} has no folder for all projects. Install it into a project.`);
  const there = isGlobal ? (home ?? here) : here;
  return { format, placeOf: (path) => path.replace(own, there) };
}
