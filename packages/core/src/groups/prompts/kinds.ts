/** What a prompt can be; each kind has its own entry file or its own set of tools it can be exported to. */
export const promptKinds = ["text", "chat", "media", "skill", "agent", "rule", "command"] as const;
/** One of `promptKinds`; a prompt keeps its kind for life. */
export type PromptKind = (typeof promptKinds)[number];

/** The file at the root of a version that holds the prompt itself, by kind. */
export const entryFiles = {
  text: "PROMPT.md",
  chat: "CHAT.json",
  media: "PROMPT.md",
  skill: "SKILL.md",
  agent: "AGENT.md",
  rule: "RULE.md",
  command: "COMMAND.md",
} as const satisfies Record<PromptKind, string>;
