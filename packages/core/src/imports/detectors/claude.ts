import { commandFields, globsIn, readsFiles, runsCommands, toolFile } from "../foreign/tool-file.ts";

/** A slash command of Claude Code. Folders are part of its name. */
export const claudeCommand = toolFile({
  name: "claude-command",
  title: "Claude Code command",
  documentation: "https://code.claude.com/docs/en/skills",
  kind: "command",
  path: /(?:^|\/)\.claude\/commands\/(.+)\.md$/i,
  syntax: "claude",
  omits: ["allowed-tools", "argument-hint"],
  fields: commandFields,
  expands: [runsCommands, readsFiles],
});

/** A subagent of Claude Code. */
export const claudeAgent = toolFile({
  name: "claude-agent",
  title: "Claude Code agent",
  documentation: "https://code.claude.com/docs/en/sub-agents",
  kind: "agent",
  path: /(?:^|\/)\.(?:claude|cursor)\/agents\/(.+)\.md$/i,
});

/** A rule of Claude Code. */
export const claudeRule = toolFile({
  name: "claude-rule",
  title: "Claude Code rule",
  documentation: "https://code.claude.com/docs/en/memory",
  kind: "rule",
  path: /(?:^|\/)\.claude\/rules\/(.+)\.md$/i,
  omits: ["paths"],
  fields: ({ paths }) => ({ globs: globsIn(paths) }),
  expands: [readsFiles],
});
