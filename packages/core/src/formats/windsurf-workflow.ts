import { withNames } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, oneLine } from "./text.ts";
import { windsurfFile } from "./windsurf.ts";

/** A workflow of Windsurf: a title, a description and steps. What is typed after its name goes along. */
export const windsurfWorkflow: Format = {
  reads: "entry",
  folder: ".windsurf/workflows",
  write(prompt) {
    const { slug, title, body } = prompt;
    const text = body.startsWith("# ") ? withNames(prompt) : `# ${oneLine(title)}\n\n${withNames(prompt)}`;
    const fields = { description: describe(prompt) };
    return { files: [windsurfFile(`${slug}.md`, withFrontmatter(fields, text))] };
  },
};
