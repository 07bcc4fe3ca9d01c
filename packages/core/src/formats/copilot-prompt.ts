import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { checkExpansions, type Expansion, firstOf } from "./safety.ts";
import { describe, lossesOfText, oneLine, replaceVariables, textFile } from "./text.ts";
import { hintOf, toolsOf } from "./tool-fields.ts";

const files: Expansion = {
  find: (text) => firstOf(text, /(?<!\w)#file:\S*/g),
  does: "reads the files that the text names after #file:",
};

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
      risks: checkExpansions(prompt, text, "VS Code", [files]),
      warnings: lossesOfText(prompt),
    };
  },
};

/** A colon or a brace would end the hint. */
const asHint = (description: string) => oneLine(description.replace(/[{}:|]/g, " "));
