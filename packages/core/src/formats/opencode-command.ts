import { heldMarkers, withMarkers, withPositions } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { omittedDefaults } from "./omitted.ts";
import { anyWords, checkExpansions, expansionsIn, fileReferences, shellCommands } from "./safety.ts";
import { saidOf, textFile } from "./text.ts";
import { modelOf } from "./tool-fields.ts";

const tool = "OpenCode";

/** A slash command of OpenCode. The last of several arguments takes all that is left. */
export const opencodeCommand: Format = {
  reads: "entry",
  folder: ".opencode/commands",
  write(prompt) {
    const text =
      withPositions(prompt) ?? withMarkers(prompt.body, "$ARGUMENTS", (_, index) => `$${index + 1}`);
    const model = modelOf(prompt);
    // It names models by provider. Another name is an error there.
    const fields = { description: saidOf(prompt), model: model?.includes("/") ? model : undefined };
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))],
      risks: checkExpansions(prompt, text, tool, [shellCommands, fileReferences]),
      warnings: [
        ...(fileReferences.find(text) ? [] : expansionsIn(prompt, text, tool, [anyWords])),
        ...omittedDefaults(prompt, tool),
        ...heldMarkers(prompt.body, tool, /\$(?:ARGUMENTS|\d)/),
      ],
    };
  },
};
