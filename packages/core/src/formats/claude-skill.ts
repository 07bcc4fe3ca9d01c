import { writeSkill } from "./agent-skill.ts";
import { type Format, FormatError } from "./format.ts";
import { describe } from "./text.ts";

/** A skill for an upload to Claude (platform.claude.com), which takes less than the standard allows. */
export const claudeSkill: Format = {
  reads: "files",
  write(prompt) {
    if (/claude|anthropic/.test(prompt.name)) {
      throw new FormatError(
        "format_not_supported",
        `Claude takes no skill with "claude" or "anthropic" in its name, such as ${prompt.name}.`,
      );
    }
    const description = describe(prompt);
    if (prompt.kind === "skill" && /<[^<>]+>/.test(description)) {
      throw new FormatError(
        "format_not_supported",
        "Claude takes no XML tags in the description of a skill. Change it in SKILL.md.",
      );
    }
    return writeSkill(prompt, description.replace(/[<>]/g, "").trim() || prompt.slug);
  },
};
