import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, textFile } from "./text.ts";
import { agentName, modelOf, toolsOf } from "./tool-fields.ts";

/** A custom agent of VS Code and GitHub Copilot. */
export const copilotAgent: Format = {
  reads: "entry",
  folder: ".github/agents",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const model = modelOf(prompt);
    const fields = {
      name: agentName(prompt),
      description: describe(prompt),
      tools: toolsOf(prompt),
      // The word of Claude Code for the model of the session, which VS Code takes without a word.
      model: model === "inherit" ? undefined : model,
    };
    return { files: [textFile(`${prompt.slug}.agent.md`, withFrontmatter(fields, text))], warnings };
  },
};
