import { withoutValues } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { scopeOf } from "./globs.ts";
import { checkRule } from "./safety.ts";
import { textFile } from "./text.ts";

/** Instructions for every tool that reads AGENTS.md (agents.md). A project has one such file. */
export const agentsMd: Format = {
  reads: "entry",
  isShared: true,
  write(prompt) {
    const { text, warnings } = withoutValues(prompt);
    const { globs, alwaysApply } = scopeOf(prompt);
    const isWider = globs.length > 0 && !alwaysApply;
    return {
      files: [textFile("AGENTS.md", withFrontmatter({}, text))],
      warnings: [
        ...warnings,
        ...(isWider ? ["The rule holds for all files. AGENTS.md has no globs."] : []),
        ...checkRule(prompt, text, "A tool such as Claude Code"),
      ],
    };
  },
};
