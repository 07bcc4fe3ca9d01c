import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { BareText, withFrontmatter } from "./frontmatter.ts";
import { scopeOf } from "./globs.ts";
import { checkRule } from "./safety.ts";
import { describe, textFile } from "./text.ts";

/** A project rule of Cursor. Its reader takes globs as bare text with commas, which YAML does not always read. */
export const cursorRule: Format = {
  reads: "entry",
  folder: ".cursor/rules",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const { globs, alwaysApply = false, warnings: lost } = scopeOf(prompt);
    const fields = {
      description: describe(prompt),
      globs: globs.length === 0 ? undefined : new BareText(globs.join(",")),
      alwaysApply,
    };
    return {
      files: [textFile(`${prompt.slug}.mdc`, withFrontmatter(fields, text))],
      warnings: [...warnings, ...lost, ...checkRule(prompt, text, "Cursor")],
    };
  },
};
