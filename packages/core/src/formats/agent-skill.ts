import { type Format, type FormatFile, type FormatPrompt, type Written } from "./format.ts";
import { withNames } from "./arguments.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { checkExpansions, expansionsIn, fileReferences, shellCommands } from "./safety.ts";
import { describe, textFile } from "./text.ts";

/** An Agent Skill (agentskills.io/specification), in the folder where most tools look. */
export const agentSkill: Format = {
  reads: "files",
  folder: ".agents/skills",
  write: (prompt) => writeSkill(prompt, describe(prompt)),
};

/** A skill in its folder. The files of a skill stay as they are. Another kind becomes SKILL.md, and its other files go along. */
export function writeSkill(prompt: FormatPrompt, description: string): Written {
  const { kind, version, name } = prompt;
  const text = kind === "skill" ? prompt.body : withNames(prompt);
  const warnings: string[] = [];
  const risks = [
    ...checkExpansions(prompt, text, "A tool such as Claude Code", [shellCommands]),
    ...expansionsIn(prompt, text, "A tool such as OpenCode", [fileReferences]),
  ];
  if (kind === "skill") {
    if (prompt.data["allowed-tools"] !== undefined)
      risks.push("Claude Code does not ask before it uses the tools that the skill names.");
    if (prompt.data["hooks"] !== undefined) risks.push("Claude Code runs the hooks in its frontmatter.");
    return { files: prompt.files.map((file) => ({ ...file, path: `${name}/${file.path}` })), risks };
  }
  const others = prompt.files.filter(({ path }) => path !== version.entry);
  const kept = others.filter(({ path }) => path.toLowerCase() !== "skill.md");
  if (kept.length < others.length) warnings.push("Its own SKILL.md is left out. The skill has its place.");
  const files: FormatFile[] = kept.map((file) => ({ ...file, path: `${name}/${file.path}` }));
  return {
    files: [textFile(`${name}/SKILL.md`, skillText(prompt, text, description)), ...files],
    risks,
    warnings,
  };
}

const skillText = ({ name, license, ref, version }: FormatPrompt, text: string, description: string) =>
  withFrontmatter(
    {
      name,
      description,
      license: license ?? undefined,
      metadata: { source: ref, version: String(version.n) },
    },
    text,
  );
