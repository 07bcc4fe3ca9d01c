import type { Detector } from "../detector.ts";
import { agentSkill } from "./agent-skill.ts";
import { chatgptConversations } from "./chatgpt-conversations.ts";
import { claudeConversations, claudeProject, claudeProjects } from "./claude-export.ts";
import { claudeAgent, claudeCommand, claudePluginAgent, claudePluginCommand, claudeRule } from "./claude.ts";
import { clineRule, clineWorkflow } from "./cline.ts";
import { codexPrompt } from "./codex.ts";
import { continuePrompt, continueRule } from "./continue.ts";
import { copilotAgent, copilotInstructions, copilotPrompt, copilotRepository } from "./copilot.ts";
import { csvPrompts } from "./csv-prompts.ts";
import { cursorCommand, cursorRule, cursorRules, looseCursorRule } from "./cursor.ts";
import { dotprompt } from "./dotprompt.ts";
import { fabric } from "./fabric.ts";
import { geminiCommand } from "./gemini-command.ts";
import { githubModels } from "./github-models.ts";
import { instructions, plainPrompt } from "./instructions.ts";
import { langchain } from "./langchain.ts";
import { langfuse } from "./langfuse.ts";
import { openaiLines, openaiMessages } from "./openai-messages.ts";
import { opencodeAgent, opencodeCommand } from "./opencode.ts";
import { ownExport } from "./own-export.ts";
import { promptFolder } from "./prompt-folder.ts";
import { promptfoo } from "./promptfoo.ts";
import { prompty } from "./prompty.ts";
import { windsurfRule, windsurfRules, windsurfWorkflow } from "./windsurf.ts";

/** Every detector. The first one that finds a prompt in a file has it, so the most specific ones come first. */
export const detectors: readonly Detector[] = [
  promptFolder,
  agentSkill,
  promptfoo,
  claudeCommand,
  claudeAgent,
  claudeRule,
  claudePluginCommand,
  claudePluginAgent,
  cursorRule,
  cursorCommand,
  cursorRules,
  windsurfWorkflow,
  windsurfRule,
  windsurfRules,
  clineWorkflow,
  clineRule,
  continuePrompt,
  continueRule,
  opencodeCommand,
  opencodeAgent,
  codexPrompt,
  geminiCommand,
  copilotPrompt,
  copilotRepository,
  copilotInstructions,
  copilotAgent,
  looseCursorRule,
  instructions,
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
  fabric,
  plainPrompt,
];
