import { readsFiles, toolFile } from "../foreign/tool-file.ts";

/** Instructions for every tool that reads AGENTS.md, and those of Claude Code and Gemini CLI. Its folder is where they hold. */
export const instructions = toolFile({
  name: "agents-md",
  title: "Instructions for agents",
  documentation: "https://agents.md",
  kind: "rule",
  path: /(?:^|\/)((?:[^/]+\/)?(?:AGENTS|CLAUDE|GEMINI))\.md$/,
  expands: [readsFiles()],
});

/** A text that somebody named by itself, wherever it lies. */
export const namedText = toolFile({
  name: "named-text",
  title: "Text",
  documentation: "https://www.rfc-editor.org/rfc/rfc7763",
  kind: "text",
  confidence: 0.8,
  path: /(?:^|\/)([^/.][^/.]*)(?:\.(?:md|mdx|markdown|txt))?$/i,
});

/** A text in a folder for prompts. */
export const plainPrompt = toolFile({
  name: "text",
  title: "Text in a folder for prompts",
  documentation: "https://www.rfc-editor.org/rfc/rfc7763",
  kind: "text",
  confidence: 0.5,
  path: /(?:^|\/)prompts?\/(?:.+\/)?((?!README|LICENSE|CHANGELOG|CONTRIBUTING)[^/]+)\.(?:md|txt)$/i,
});
