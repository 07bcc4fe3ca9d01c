import { globsIn, readsFiles, toolFile } from "../foreign/tool-file.ts";
import { command } from "./claude.ts";

/** Instructions for every tool that reads AGENTS.md, and those of Claude Code and Gemini CLI. Its folder is where they hold. */
export const instructions = toolFile({
  name: "agents-md",
  title: "Instructions for agents",
  documentation: "https://agents.md",
  kind: "rule",
  path: /(?:^|\/)((?:[^/]+\/)?(?:AGENTS|CLAUDE|GEMINI))\.md$/,
  // They always hold: below their folder, if they are not at the top.
  fields: ({ globs, alwaysApply }) => ({
    globs: globsIn(globs),
    alwaysApply: alwaysApply ?? (globs === undefined || undefined),
  }),
  expands: [readsFiles()],
});

const named = {
  name: "named-text",
  documentation: "https://www.rfc-editor.org/rfc/rfc7763",
  confidence: 0.8,
  // Of `summarise/system.md` the folder says what it is.
  path: /(?:^|\/)(?:([^/]+)\/(?:system|prompt|index)|([^/.][^/.]*))(?:\.(?:md|mdx|markdown|txt))?$/i,
} as const;

/** Texts that somebody named, wherever they lie, by the kind that they become. */
export const namedTexts = {
  text: toolFile({ ...named, title: "Text", kind: "text" }),
  command: toolFile({ ...command, ...named, title: "Text as a command" }),
  agent: toolFile({ ...named, title: "Text as an agent", kind: "agent" }),
  rule: toolFile({ ...named, title: "Text as a rule", kind: "rule" }),
};

/** A text in a folder for prompts. */
export const plainPrompt = toolFile({
  name: "text",
  title: "Text in a folder for prompts",
  documentation: "https://www.rfc-editor.org/rfc/rfc7763",
  kind: "text",
  confidence: 0.5,
  syntax: "brackets",
  isOurs: true,
  path: /(?:^|\/)prompts?\/(?:(?:.+\/)?([^/]+)\/(?:system|prompt|index)|(?:.+\/)?((?!(?:README|LICENSE|CHANGELOG|CONTRIBUTING)\.)[^/]+))\.(?:md|txt)$/i,
});
