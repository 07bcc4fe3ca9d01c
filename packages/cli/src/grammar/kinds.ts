import type { PromptKind } from "@promptreg/core";

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
