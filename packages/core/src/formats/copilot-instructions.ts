import { withoutValues } from "./arguments.ts";
import { hashFiles, linkedFiles } from "./copilot.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { scopeOf } from "./globs.ts";
import { expansionsIn } from "./safety.ts";
import { describe, oneLine, saidOf, textFile } from "./text.ts";

/** Custom instructions of VS Code and GitHub Copilot. Without `applyTo` the model decides by the description. */
export const copilotInstructions: Format = {
  reads: "entry",
  folder: ".github/instructions",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const { globs, alwaysApply, warnings: lost } = scopeOf(prompt);
    const applyTo = alwaysApply ? "**" : globs.join(",") || undefined;
    const fields = {
      name: oneLine(prompt.title),
      description: applyTo === undefined ? describe(prompt) : saidOf(prompt),
      applyTo,
    };
    const file = textFile(`${prompt.slug}.instructions.md`, withFrontmatter(fields, text));
    const read = expansionsIn(prompt, text, "VS Code", [hashFiles, linkedFiles]);
    return { files: [file], warnings: [...warnings, ...lost, ...read] };
  },
};
