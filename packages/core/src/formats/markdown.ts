import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { omittedDefaults } from "./omitted.ts";
import { lossesOfText, textFile } from "./text.ts";

/** The text alone, with its variables as they are. */
export const markdown: Format = {
  reads: "entry",
  write: (prompt) => ({
    files: [textFile(`${prompt.slug}.md`, withFrontmatter({}, prompt.body))],
    warnings: [...lossesOfText(prompt), ...omittedDefaults(prompt, "Markdown")],
  }),
};
