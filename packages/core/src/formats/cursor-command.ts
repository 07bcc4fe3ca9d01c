import { withNames } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { checkExpansions, fileReferences } from "./safety.ts";
import { textFile } from "./text.ts";

/** A slash command of Cursor: the text alone. What is typed after its name goes along. */
export const cursorCommand: Format = {
  reads: "entry",
  folder: ".cursor/commands",
  write(prompt) {
    const text = withNames(prompt);
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter({}, text))],
      risks: checkExpansions(prompt, text, "Cursor", [fileReferences]),
    };
  },
};
