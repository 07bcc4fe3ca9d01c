import { withNames } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, textFile } from "./text.ts";

/** A slash command of Continue. What is typed after its name goes along. */
export const continuePrompt: Format = {
  reads: "entry",
  folder: ".continue/prompts",
  write(prompt) {
    const fields = { name: prompt.slug, description: describe(prompt), invokable: true };
    return { files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, withNames(prompt)))] };
  },
};
