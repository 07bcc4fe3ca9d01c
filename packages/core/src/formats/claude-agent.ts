import { withoutValues } from "./arguments.ts";
import type { Format, FormatPrompt } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, textFile } from "./text.ts";
import { agentName, modelOf, toolsOf } from "./tool-fields.ts";

/** A subagent of Claude Code. */
export const claudeAgent: Format = {
  reads: "entry",
  folder: ".claude/agents",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const fields = {
      name: agentName(prompt),
      description: describe(prompt),
      tools: toolsOf(prompt)?.join(", "),
      model: claudeModel(prompt),
    };
    return { files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))], warnings };
  },
};

/** The model, if Claude Code knows it: with another one it answers nothing. */
export function claudeModel(prompt: FormatPrompt): string | undefined {
  const model = modelOf(prompt);
  return /^(inherit|sonnet|opus|haiku|claude-[a-z0-9.-]+)$/.test(model ?? "") ? model : undefined;
}
