import { agentSkill } from "./agent-skill.ts";
import { dotprompt } from "./dotprompt.ts";
import type { Format } from "./format.ts";
import { githubModels } from "./github-models.ts";
import { json } from "./json.ts";
import { langchain } from "./langchain.ts";
import { langfuse } from "./langfuse.ts";
import { markdown } from "./markdown.ts";
import { mcpPrompt } from "./mcp-prompt.ts";
import type { FormatName } from "./names.ts";
import { openaiMessages } from "./openai-messages.ts";
import { promptfoo } from "./promptfoo.ts";

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, Format>> = {
  markdown,
  json,
  "agent-skill": agentSkill,
  "openai-messages": openaiMessages,
  langchain,
  langfuse,
  promptfoo,
  "github-models": githubModels,
  dotprompt,
  "mcp-prompt": mcpPrompt,
};
