import type { PromptKind, Rating, Visibility } from "@promptreg/core";
import type { FormatName, ToolName } from "@promptreg/core/formats";
import type { NamedKind } from "@promptreg/core/imports";

const all: Record<PromptKind, true> = {
  text: true,
  chat: true,
  media: true,
  skill: true,
  agent: true,
  rule: true,
  command: true,
};

/** The kinds of prompts, which core has too, but beside the rules of content: help does not wait for those to load. */
export const kinds = Object.keys(all);

const named: Record<NamedKind, true> = { text: true, command: true, agent: true, rule: true };

/** Those of which any text can be one. */
export const namedKinds = Object.keys(named);

const visible: Record<Visibility, true> = { private: true, unlisted: true, public: true };
const rated: Record<Rating, true> = { general: true, sensitive: true, mature: true };

export const visibilities = Object.keys(visible);
export const ratings = Object.keys(rated);

// Core has these beside the code that writes formats.
const written: Record<FormatName, true> = {
  markdown: true,
  json: true,
  "agent-skill": true,
  "claude-skill": true,
  "vscode-skill-manifest": true,
  "claude-command": true,
  "claude-agent": true,
  "cursor-rule": true,
  "cursor-command": true,
  "copilot-prompt": true,
  "copilot-instructions": true,
  "copilot-agent": true,
  "windsurf-rule": true,
  "windsurf-workflow": true,
  "cline-rule": true,
  "cline-workflow": true,
  "continue-prompt": true,
  "continue-rule": true,
  "gemini-command": true,
  "codex-prompt": true,
  "opencode-command": true,
  "agents-md": true,
  "openai-messages": true,
  langchain: true,
  langfuse: true,
  promptfoo: true,
  "github-models": true,
  dotprompt: true,
  "mcp-prompt": true,
};
const installedFor: Record<ToolName, true> = {
  claude: true,
  cursor: true,
  copilot: true,
  windsurf: true,
  cline: true,
  continue: true,
  gemini: true,
  codex: true,
  opencode: true,
  agents: true,
};

export const formats = Object.keys(written);
export const tools = Object.keys(installedFor);
