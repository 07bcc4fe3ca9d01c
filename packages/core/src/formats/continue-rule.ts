import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { scopeOf } from "./globs.ts";
import { describe, oneLine, textFile } from "./text.ts";

/** A rule of Continue, whose meaning of `alwaysApply` is ours: left out, the globs decide. */
export const continueRule: Format = {
  reads: "entry",
  folder: ".continue/rules",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const { globs, alwaysApply, warnings: lost } = scopeOf(prompt);
    const fields = {
      name: oneLine(prompt.title),
      description: describe(prompt),
      globs: globs.length === 0 ? undefined : globs,
      alwaysApply,
    };
    const file = textFile(`${prompt.slug}.md`, withFrontmatter(fields, text));
    return { files: [file], warnings: [...warnings, ...lost] };
  },
};
