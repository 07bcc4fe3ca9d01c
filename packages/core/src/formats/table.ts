import { agentSkill } from "./agent-skill.ts";
import { agentsMd } from "./agents-md.ts";
import { claudeAgent } from "./claude-agent.ts";
import { claudeCommand } from "./claude-command.ts";
import { claudeSkill } from "./claude-skill.ts";
import { clineRule } from "./cline-rule.ts";
import { clineWorkflow } from "./cline-workflow.ts";
import { codexPrompt } from "./codex-prompt.ts";
import { continuePrompt } from "./continue-prompt.ts";
import { continueRule } from "./continue-rule.ts";
import { copilotAgent } from "./copilot-agent.ts";
import { copilotInstructions } from "./copilot-instructions.ts";
import { copilotPrompt } from "./copilot-prompt.ts";
import { cursorCommand } from "./cursor-command.ts";
import { cursorRule } from "./cursor-rule.ts";
import { geminiCommand } from "./gemini-command.ts";
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
import { opencodeCommand } from "./opencode-command.ts";
import { vscodeSkillManifest } from "./vscode-skill-manifest.ts";
import { windsurfRule } from "./windsurf-rule.ts";
import { windsurfWorkflow } from "./windsurf-workflow.ts";
import { promptfoo } from "./promptfoo.ts";

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, Format>> = {
  markdown,
  json,
  "agent-skill": agentSkill,
  "claude-skill": claudeSkill,
  "vscode-skill-manifest": vscodeSkillManifest,
  "claude-command": claudeCommand,
  "claude-agent": claudeAgent,
  "cursor-rule": cursorRule,
  "cursor-command": cursorCommand,
  "copilot-prompt": copilotPrompt,
  "copilot-instructions": copilotInstructions,
  "copilot-agent": copilotAgent,
  "windsurf-rule": windsurfRule,
  "windsurf-workflow": windsurfWorkflow,
  "cline-rule": clineRule,
  "cline-workflow": clineWorkflow,
  "continue-prompt": continuePrompt,
  "continue-rule": continueRule,
  "gemini-command": geminiCommand,
  "codex-prompt": codexPrompt,
  "opencode-command": opencodeCommand,
  "agents-md": agentsMd,
  "openai-messages": openaiMessages,
  langchain,
  langfuse,
  promptfoo,
  "github-models": githubModels,
  dotprompt,
  "mcp-prompt": mcpPrompt,
};
