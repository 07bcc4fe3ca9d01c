import { toolFile } from "../foreign/tool-file.ts";

/** A custom prompt of Codex. */
export const codexPrompt = toolFile({
  name: "codex-prompt",
  title: "Codex prompt",
  documentation: "https://developers.openai.com/codex/custom-prompts",
  kind: "command",
  path: /(?:^|\/)\.codex\/prompts\/([^/]+)\.md$/i,
  syntax: "claude",
  omits: ["argument-hint"],
  fields: (data) => ({
    argumentHint: typeof data["argument-hint"] === "string" ? data["argument-hint"] : undefined,
  }),
});
