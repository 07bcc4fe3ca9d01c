import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { BareText, withFrontmatter } from "./frontmatter.ts";
import { scopeOf } from "./globs.ts";
import { checkRule } from "./safety.ts";
import { describe, saidOf, textFile } from "./text.ts";

/** A project rule of Cursor. Its reader takes globs as bare text with commas, which YAML does not always read. */
export const cursorRule: Format = {
  reads: "entry",
  folder: ".cursor/rules",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const { globs, alwaysApply, warnings: lost } = scopeOf(prompt);
    // If nothing says when it holds, the model decides by a description. With one, a rule that is called by hand would be no such rule.
    const isOpen = globs.length === 0 && alwaysApply === undefined;
    const fields = {
      description: isOpen ? describe(prompt) : saidOf(prompt),
      globs: globs.length === 0 ? undefined : new BareText(globs.join(",")),
      alwaysApply: alwaysApply ?? false,
    };
    return {
      files: [textFile(`${prompt.slug}.mdc`, withFrontmatter(fields, text))],
      warnings: [...warnings, ...lost, ...checkRule(prompt, text, "Cursor")],
    };
  },
};
