import { withoutValues } from "./arguments.ts";
import type { Format, FormatPrompt } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, textFile } from "./text.ts";
import { agentName, modelOf, ownFields, toolsOf } from "./tool-fields.ts";

/** A subagent of Claude Code. */
export const claudeAgent: Format = {
  reads: "entry",
  folder: ".claude/agents",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const own = ownFields(prompt, "Claude Code", {
      harmless: [
        "background",
        "color",
        "disallowedTools",
        "effort",
        "isolation",
        "maxTurns",
        "memory",
        "skills",
      ],
      powerful: ["hooks", "mcpServers", "permissionMode"],
    });
    const tools = toolsOf(prompt);
    const fields = {
      name: agentName(prompt),
      description: describe(prompt),
      // Without the field it has all of them.
      tools: tools?.length === 0 ? [] : tools?.join(", "),
      model: claudeModel(prompt),
      ...own.fields,
    };
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))],
      warnings: [...warnings, ...own.warnings],
    };
  },
};

/** The model, if Claude Code knows it: with another one it answers nothing. */
export function claudeModel(prompt: FormatPrompt): string | undefined {
  const model = modelOf(prompt);
  return /^(inherit|sonnet|opus|haiku|fable|claude-[a-z0-9.-]+)$/.test(model ?? "") ? model : undefined;
}
