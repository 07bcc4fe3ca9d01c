import type { PromptKind } from "../content/kinds.ts";

/** The formats that tools read, each with the kinds of prompts that it can express. */
export const formatKinds = {
  markdown: ["text", "chat", "media", "skill", "agent", "rule", "command"],
  json: ["text", "chat", "media", "skill", "agent", "rule", "command"],
  "agent-skill": ["text", "skill", "agent", "rule", "command"],
  "claude-skill": ["text", "skill", "agent", "rule", "command"],
  "vscode-skill-manifest": ["skill"],
  "claude-command": ["text", "command"],
  "claude-agent": ["agent"],
  "cursor-rule": ["text", "rule"],
  "cursor-command": ["text", "command"],
  "copilot-prompt": ["text", "chat", "command"],
  "copilot-instructions": ["rule"],
  "copilot-agent": ["agent"],
  "windsurf-rule": ["rule"],
  "windsurf-workflow": ["text", "command"],
  "cline-rule": ["rule"],
  "cline-workflow": ["text", "command"],
  "continue-prompt": ["text", "command"],
  "continue-rule": ["rule"],
  "gemini-command": ["text", "command"],
  "codex-prompt": ["text", "command"],
  "opencode-command": ["text", "command"],
  "agents-md": ["text", "agent", "rule"],
  "openai-messages": ["text", "chat", "media"],
  langchain: ["text", "chat"],
  langfuse: ["text", "chat"],
  promptfoo: ["text", "chat"],
  "github-models": ["text", "chat"],
  dotprompt: ["text", "chat"],
  "mcp-prompt": ["text", "chat", "command"],
} as const satisfies Record<string, readonly PromptKind[]>;

/** The name of a format that some tool reads. */
export type FormatName = keyof typeof formatKinds;
/** The names of all formats. */
export const formatNames = Object.keys(formatKinds) as FormatName[];
