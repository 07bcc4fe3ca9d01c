import { hashFiles, linkedFiles } from "./copilot.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { omittedDefaults } from "./omitted.ts";
import { checkExpansions, expansionsIn } from "./safety.ts";
import { describe, lossesOfText, oneLine, replaceVariables, textFile } from "./text.ts";
import { hintOf, toolsOf } from "./tool-fields.ts";

const tool = "VS Code";

/** A prompt file of VS Code. */
export const copilotPrompt: Format = {
  reads: "entry",
  folder: ".github/prompts",
  write(prompt) {
    const { slug, body, version } = prompt;
    const inputs = new Map(
      version.variables.map(({ name, description = "" }) => [name, asHint(description)]),
    );
    const text = replaceVariables(body, (name) => {
      const hint = inputs.get(name);
      return hint ? `\${input:${name}:${hint}}` : `\${input:${name}}`;
    });
    const fields = {
      name: slug,
      description: describe(prompt),
      "argument-hint": hintOf(prompt),
      agent: "agent",
      tools: toolsOf(prompt),
    };
    return {
      files: [textFile(`${slug}.prompt.md`, withFrontmatter(fields, text))],
      risks: [
        ...checkExpansions(prompt, text, tool, [hashFiles]),
        // Not refused: a text may show how a link is written.
        ...expansionsIn(prompt, text, tool, [linkedFiles]),
      ],
      warnings: [...lossesOfText(prompt), ...omittedDefaults(prompt, tool)],
    };
  },
};

/** A colon or a brace would end the hint. */
const asHint = (description: string) => oneLine(description.replace(/[{}:|]/g, " "));
