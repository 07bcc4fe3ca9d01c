import { readsFiles, runsCommands, toolFile } from "../foreign/tool-file.ts";

/** A command of OpenCode. */
export const opencodeCommand = toolFile({
  name: "opencode-command",
  title: "OpenCode command",
  documentation: "https://opencode.ai/docs/commands",
  kind: "command",
  path: /(?:^|\/)\.?opencode\/commands?\/(.+)\.md$/i,
  syntax: "claude",
  omits: ["agent", "subtask"],
  expands: [runsCommands(), readsFiles()],
});

/** An agent of OpenCode. */
export const opencodeAgent = toolFile({
  name: "opencode-agent",
  title: "OpenCode agent",
  documentation: "https://opencode.ai/docs/agents",
  kind: "agent",
  path: /(?:^|\/)\.?opencode\/agents?\/(.+)\.md$/i,
  omits: ["mode"],
});
