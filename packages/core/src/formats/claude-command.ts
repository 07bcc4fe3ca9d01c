import { heldMarkers, withOneMarker, withPositions } from "./arguments.ts";
import { claudeModel } from "./claude-agent.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { checkExpansions, expansionsIn, fileReferences, joinedWords, shellCommands } from "./safety.ts";
import { saidOf, textFile } from "./text.ts";
import { hintOf, ownFields, toolsOf } from "./tool-fields.ts";

const tool = "Claude Code";

/** A slash command of Claude Code. Its releases number arguments differently, so it gets named ones as one. What came with numbers keeps them. */
export const claudeCommand: Format = {
  reads: "entry",
  folder: ".claude/commands",
  write(prompt) {
    const text =
      withPositions(prompt, (index) => `$ARGUMENTS[${index}]`) ?? withOneMarker(prompt, "$ARGUMENTS");
    const tools = toolsOf(prompt);
    const own = ownFields(prompt, tool, {
      harmless: ["agent", "context", "disable-model-invocation", "effort", "user-invocable"],
      powerful: ["hooks"],
    });
    const fields = {
      description: saidOf(prompt),
      "argument-hint": hintOf(prompt),
      "allowed-tools": tools?.join(", ") || undefined,
      model: claudeModel(prompt),
      ...own.fields,
    };
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))],
      risks: [
        ...checkExpansions(prompt, text, tool, [shellCommands, fileReferences]),
        ...(tools?.length ? [`${tool} does not ask before it uses the tools that the command names.`] : []),
      ],
      warnings: [
        ...own.warnings,
        ...(fileReferences.find(text) ? [] : expansionsIn(prompt, text, tool, [joinedWords])),
        ...heldMarkers(prompt.body, tool, /\$(?:ARGUMENTS|\d)/),
      ],
    };
  },
};
