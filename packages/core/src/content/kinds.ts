/** The kinds of prompts. Each kind has its own entry file, or its own set of tools for an export. */
export const promptKinds = ["text", "chat", "media", "skill", "agent", "rule", "command"] as const;
/** One of `promptKinds`. The kind of a prompt never changes. */
export type PromptKind = (typeof promptKinds)[number];

/** The file at the root of a version that contains the prompt itself, by kind. */
export const entryFiles = {
  text: "PROMPT.md",
  chat: "CHAT.json",
  media: "PROMPT.md",
  skill: "SKILL.md",
  agent: "AGENT.md",
  rule: "RULE.md",
  command: "COMMAND.md",
} as const satisfies Record<PromptKind, string>;
