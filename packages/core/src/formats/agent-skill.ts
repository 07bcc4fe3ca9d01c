import type { Format, FormatPrompt } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { describe, textFile } from "./text.ts";

/** An Agent Skill (agentskills.io/specification), in the folder where most tools look. */
export const agentSkill: Format = {
  reads: "files",
  write: (prompt) => ({ files: skillFiles(prompt, `.agents/skills/${prompt.name}`) }),
};

/** A skill in a folder. The files of a skill stay as they are; another kind becomes SKILL.md, and its other files go along. */
export function skillFiles(prompt: FormatPrompt, folder: string) {
  const { version, kind, files } = prompt;
  return files.map((file) => {
    const path = `${folder}/${file.path}`;
    if (kind === "skill" || file.path !== version.entry) return { ...file, path };
    return textFile(`${folder}/SKILL.md`, skillText(prompt));
  });
}

const skillText = (prompt: FormatPrompt) =>
  withFrontmatter(
    {
      name: prompt.name,
      description: describe(prompt, 1024),
      license: prompt.license ?? undefined,
      metadata: { source: prompt.ref, version: String(prompt.version.n) },
    },
    prompt.body,
  );
