import type { InteractionAnswer } from "@promptreg/core";
import type { ServerContext } from "../../kernel/server-context.ts";
import type { Command } from "./interaction.ts";
import { answerLink, answerPrompt, answerSearch } from "./answers.ts";

/** A text that a command takes. */
const text = (name: string, description: string) => ({
  type: 3,
  name,
  description,
  required: true,
  max_length: 200,
});

/** The commands as they are registered at Discord. */
export const registered = [
  {
    type: 1,
    name: "search",
    description: "Finds public prompts",
    options: [text("q", "Words to look for")],
  },
  {
    type: 1,
    name: "prompt",
    description: "Shows a public prompt",
    options: [text("ref", "owner/slug, or owner/slug@production")],
  },
  { type: 1, name: "link", description: "Shows you a code that links your account here with your own" },
];

/** What each does. */
export const answers: ReadonlyMap<
  string,
  (command: Command, server: ServerContext) => Promise<InteractionAnswer>
> = new Map([
  ["search", answerSearch],
  ["prompt", answerPrompt],
  ["link", answerLink],
]);
