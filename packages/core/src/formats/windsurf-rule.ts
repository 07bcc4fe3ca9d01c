import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { type RuleScope, scopeOf } from "./globs.ts";
import { describe } from "./text.ts";
import { windsurfFile } from "./windsurf.ts";

/** A rule of Windsurf. Its trigger says when it holds. */
export const windsurfRule: Format = {
  reads: "entry",
  folder: ".windsurf/rules",
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const scope = scopeOf(prompt);
    const fields = {
      trigger: triggerOf(scope),
      description: describe(prompt),
      globs: scope.globs.join(",") || undefined,
    };
    const file = windsurfFile(`${prompt.slug}.md`, withFrontmatter(fields, text));
    return { files: [file], warnings: [...warnings, ...scope.warnings] };
  },
};

const triggerOf = ({ alwaysApply, globs }: RuleScope): string =>
  alwaysApply ? "always_on" : globs.length > 0 ? "glob" : "model_decision";
