import { heldMarkers, withOneMarker } from "./arguments.ts";
import { claudeModel } from "./claude-agent.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { checkExpansions, expansionsIn, fileReferences, joinedWords, shellCommands } from "./safety.ts";
import { describe, textFile } from "./text.ts";
import { hintOf, toolsOf } from "./tool-fields.ts";

const tool = "Claude Code";

/** A slash command of Claude Code. Numbered arguments differ between its releases, so it gets all of them as one. */
export const claudeCommand: Format = {
  reads: "entry",
  folder: ".claude/commands",
  write(prompt) {
    const text = withOneMarker(prompt, "$ARGUMENTS");
    const tools = toolsOf(prompt);
    const fields = {
      description: describe(prompt),
      "argument-hint": hintOf(prompt),
      "allowed-tools": tools?.join(", "),
      model: claudeModel(prompt),
    };
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))],
      risks: [
        ...checkExpansions(prompt, text, tool, [shellCommands, fileReferences]),
        ...(tools ? [`${tool} does not ask before it uses the tools that the command names.`] : []),
      ],
      warnings: [
        ...(fileReferences.find(text) ? [] : expansionsIn(prompt, text, tool, [joinedWords])),
        ...heldMarkers(prompt.body, tool, /\$(?:ARGUMENTS|\d)/),
      ],
    };
  },
};
