import type { PromptKind, Rating, Visibility } from "@promptreg/core";

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

const visible: Record<Visibility, true> = { private: true, unlisted: true, public: true };
const rated: Record<Rating, true> = { general: true, sensitive: true, mature: true };

export const visibilities = Object.keys(visible);
export const ratings = Object.keys(rated);
