import type { PromptKind } from "../groups/prompts/kinds.ts";

/** The formats that tools read, each with the kinds of prompts that it can express. */
export const formatKinds = {
  markdown: ["text", "chat", "media", "skill", "agent", "rule", "command"],
  json: ["text", "chat", "media", "skill", "agent", "rule", "command"],
  "agent-skill": ["text", "skill", "agent", "rule", "command"],
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
