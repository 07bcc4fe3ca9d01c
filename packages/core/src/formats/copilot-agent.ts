import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, oneLine, printable, textFile } from "./text.ts";
import { modelOf, ownFields, toolsOf } from "./tool-fields.ts";

/** A custom agent of VS Code and GitHub Copilot. */
export const copilotAgent: Format = {
  reads: "entry",
  folder: ".github/agents",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const model = modelOf(prompt);
    const isKnown = /^[A-Z]/.test(model ?? "");
    const own = ownFields(prompt, "Copilot", {
      harmless: ["argument-hint", "agents", "disable-model-invocation", "user-invocable", "target"],
      powerful: ["handoffs", "hooks", "mcp-servers"],
    });
    const name = prompt.data["name"];
    const fields = {
      // For people: it may have spaces.
      name: typeof name === "string" ? oneLine(name) : prompt.slug,
      description: describe(prompt),
      tools: toolsOf(prompt),
      model: isKnown ? model : undefined,
      ...own.fields,
    };
    // Claude Code's word for the model of the session. Copilot takes that one if none is named.
    const isLost = model !== undefined && !isKnown && model !== "inherit";
    return {
      files: [textFile(`${prompt.slug}.agent.md`, withFrontmatter(fields, text))],
      warnings: [
        ...warnings,
        ...own.warnings,
        ...(isLost
          ? [
              `The model ${printable(model)} is left out. Copilot names models as in its list, such as GPT-5 mini.`,
            ]
          : []),
      ],
    };
  },
};
