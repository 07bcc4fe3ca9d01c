import { withNames } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { textFile } from "./text.ts";

/** A workflow of Cline: the text alone. What is typed after its name goes along. */
export const clineWorkflow: Format = {
  reads: "entry",
  folder: ".clinerules/workflows",
  write: (prompt) => ({ files: [textFile(`${prompt.slug}.md`, withFrontmatter({}, withNames(prompt)))] }),
};
