import { globsIn, toolFile } from "../foreign/tool-file.ts";

/** A workflow of Cline. */
export const clineWorkflow = toolFile({
  name: "cline-workflow",
  title: "Cline workflow",
  documentation: "https://docs.cline.bot/customization/workflows",
  kind: "command",
  path: /(?:^|\/)\.clinerules\/workflows\/(.+)\.md$/i,
});

/** A rule of Cline: in a folder, or one file for all. */
export const clineRule = toolFile({
  name: "cline-rule",
  title: "Cline rule",
  documentation: "https://docs.cline.bot/customization/cline-rules",
  kind: "rule",
  path: /(?:^|\/)(?:\.clinerules\/(.+)\.(?:md|txt)|\.clinerules)$/i,
  omits: ["paths"],
  fields: ({ paths, globs }) => ({ globs: globsIn(paths ?? globs) }),
});
