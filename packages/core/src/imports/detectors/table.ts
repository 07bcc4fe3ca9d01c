import type { Detector } from "../detector.ts";
import { chatgptConversations } from "./chatgpt-conversations.ts";
import { claudeConversations, claudeProject, claudeProjects } from "./claude-export.ts";
import { csvPrompts } from "./csv-prompts.ts";
import { dotprompt } from "./dotprompt.ts";
import { githubModels } from "./github-models.ts";
import { langchain } from "./langchain.ts";
import { langfuse } from "./langfuse.ts";
import { openaiLines, openaiMessages } from "./openai-messages.ts";
import { ownExport } from "./own-export.ts";
import { promptfoo } from "./promptfoo.ts";
import { prompty } from "./prompty.ts";

/** Every detector. The first one that finds a prompt in a file has it, so the most specific ones come first. */
export const detectors: readonly Detector[] = [
  promptfoo,
  githubModels,
  dotprompt,
  prompty,
  csvPrompts,
  openaiLines,
  chatgptConversations,
  claudeConversations,
  claudeProjects,
  claudeProject,
  ownExport,
  langchain,
  langfuse,
  openaiMessages,
];
