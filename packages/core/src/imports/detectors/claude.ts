import { commandFields, globsIn, readsFiles, runsCommands, toolFile } from "../foreign/tool-file.ts";

export const command = {
  title: "Claude Code command",
  documentation: "https://code.claude.com/docs/en/skills",
  kind: "command",
  syntax: "claude",
  omits: ["allowed-tools", "argument-hint"],
  fields: commandFields,
  expands: [runsCommands(), readsFiles()],
} as const;

/** A slash command of Claude Code. Folders are part of its name. */
export const claudeCommand = toolFile({
  ...command,
  name: "claude-command",
  path: /(?:^|\/)\.claude\/commands\/(.+)\.md$/i,
});

const agent = {
  title: "Claude Code agent",
  documentation: "https://code.claude.com/docs/en/sub-agents",
  kind: "agent",
} as const;

/** A subagent of Claude Code. */
export const claudeAgent = toolFile({
  ...agent,
  name: "claude-agent",
  path: /(?:^|\/)\.(?:claude|cursor)\/agents\/(.+)\.md$/i,
});

/** A plugin has its commands and agents beside the folder of its manifest: https://code.claude.com/docs/en/plugins */
const inPlugin = { marker: ".claude-plugin/plugin.json", confidence: 0.95 } as const;

export const claudePluginCommand = toolFile({
  ...command,
  ...inPlugin,
  name: "claude-plugin-command",
  path: /(?:^|\/)commands\/(.+)\.md$/i,
});

export const claudePluginAgent = toolFile({
  ...agent,
  ...inPlugin,
  name: "claude-plugin-agent",
  path: /(?:^|\/)agents\/(.+)\.md$/i,
});

/** A rule of Claude Code. */
export const claudeRule = toolFile({
  name: "claude-rule",
  title: "Claude Code rule",
  documentation: "https://code.claude.com/docs/en/memory",
  kind: "rule",
  path: /(?:^|\/)\.claude\/rules\/(.+)\.md$/i,
  omits: ["paths"],
  fields: ({ paths, globs }) => ({ globs: globsIn(paths ?? globs) }),
  expands: [readsFiles()],
});
