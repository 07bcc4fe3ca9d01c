import { firstOf } from "../../formats/safety.ts";
import { globsIn, readsFiles, toolFile } from "../foreign/tool-file.ts";

const namesFiles = readsFiles((text) => firstOf(text, /(?<!\w)#file:\S{0,100}/g));

/** A prompt file of VS Code. */
export const copilotPrompt = toolFile({
  name: "copilot-prompt",
  title: "Copilot prompt",
  documentation: "https://code.visualstudio.com/docs/copilot/customization/prompt-files",
  kind: "command",
  path: /(?:^|\/)([^/]+)\.prompt\.md$/i,
  syntax: "vscode",
  omits: ["mode", "agent", "argument-hint"],
  fields: (data) => ({
    argumentHint: typeof data["argument-hint"] === "string" ? data["argument-hint"] : undefined,
  }),
  expands: [namesFiles],
});

/** Instructions of GitHub Copilot for some files. */
export const copilotInstructions = toolFile({
  name: "copilot-instructions",
  title: "Copilot instructions",
  documentation: "https://code.visualstudio.com/docs/copilot/customization/custom-instructions",
  kind: "rule",
  path: /(?:^|\/)([^/]+)\.instructions\.md$/i,
  omits: ["applyTo"],
  fields: ({ applyTo }) => (applyTo === "**" ? { alwaysApply: true } : { globs: globsIn(applyTo) }),
  expands: [namesFiles],
});

/** Instructions of GitHub Copilot for a whole repository. */
export const copilotRepository = toolFile({
  name: "copilot-instructions",
  title: "Copilot instructions",
  documentation: "https://code.visualstudio.com/docs/copilot/customization/custom-instructions",
  kind: "rule",
  path: /(?:^|\/)\.github\/(copilot-instructions)\.md$/i,
  fields: () => ({ alwaysApply: true }),
});

/** A custom agent of VS Code and GitHub Copilot; before 2025 it was called a chat mode. */
export const copilotAgent = toolFile({
  name: "copilot-agent",
  title: "Copilot agent",
  documentation: "https://code.visualstudio.com/docs/copilot/customization/custom-agents",
  kind: "agent",
  path: /(?:^|\/)(?:\.github\/agents\/([^/]+?)(?:\.agent)?|([^/]+)\.(?:agent|chatmode))\.md$/i,
});
