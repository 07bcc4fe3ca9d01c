import { agentSkill } from "./agent-skill.ts";
import type { Format } from "./format.ts";
import { markdown } from "./markdown.ts";
import type { FormatName } from "./names.ts";
import { openaiMessages } from "./openai-messages.ts";

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, Format>> = {
  markdown,
  "agent-skill": agentSkill,
  "openai-messages": openaiMessages,
};
