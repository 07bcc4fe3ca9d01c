import { globsIn, toolFile } from "../foreign/tool-file.ts";

/** A slash command of Continue, which fills in Handlebars. */
export const continuePrompt = toolFile({
  name: "continue-prompt",
  title: "Continue prompt",
  documentation: "https://docs.continue.dev/customize/deep-dives/prompts",
  kind: "command",
  path: /(?:^|\/)\.continue\/prompts\/(.+?)\.(?:md|prompt)$/i,
  syntax: "mustache",
  omits: ["invokable"],
});

/** A rule of Continue. */
export const continueRule = toolFile({
  name: "continue-rule",
  title: "Continue rule",
  documentation: "https://docs.continue.dev/customize/deep-dives/rules",
  kind: "rule",
  path: /(?:^|\/)\.continue\/rules\/(.+)\.md$/i,
  omits: ["globs", "alwaysApply"],
  fields: ({ name, globs, alwaysApply }) => ({
    title: name,
    globs: globsIn(globs),
    alwaysApply: typeof alwaysApply === "boolean" ? alwaysApply : undefined,
  }),
});
