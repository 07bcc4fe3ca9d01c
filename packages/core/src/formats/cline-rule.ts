import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { scopeOf } from "./globs.ts";
import { expansionsIn, fileReferences } from "./safety.ts";
import { textFile } from "./text.ts";

/** A rule of Cline, and in another folder of Claude Code. Without `paths` it always holds. */
export const clineRule: Format = {
  reads: "entry",
  folder: ".clinerules",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const { globs, alwaysApply, warnings: lost } = scopeOf(prompt);
    const fields = { paths: alwaysApply || globs.length === 0 ? undefined : globs };
    const file = textFile(`${prompt.slug}.md`, withFrontmatter(fields, text));
    const read = expansionsIn(prompt, text, "A tool such as Claude Code", [fileReferences]);
    return { files: [file], warnings: [...warnings, ...lost, ...read] };
  },
};
