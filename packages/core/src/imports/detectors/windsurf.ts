import { globsIn, toolFile } from "../foreign/tool-file.ts";

/** A workflow of Windsurf. */
export const windsurfWorkflow = toolFile({
  name: "windsurf-workflow",
  title: "Windsurf workflow",
  documentation: "https://docs.windsurf.com/windsurf/cascade/workflows",
  kind: "command",
  path: /(?:^|\/)\.(?:windsurf|devin)\/workflows\/(.+)\.md$/i,
});

/** A rule of Windsurf. Its trigger says when it holds. */
export const windsurfRule = toolFile({
  name: "windsurf-rule",
  title: "Windsurf rule",
  documentation: "https://docs.windsurf.com/windsurf/cascade/memories",
  kind: "rule",
  path: /(?:^|\/)\.(?:windsurf|devin)\/rules\/(.+)\.md$/i,
  omits: ["trigger", "globs"],
  fields: ({ trigger, globs }) => ({
    globs: globsIn(globs),
    alwaysApply: trigger === "always_on" ? true : undefined,
  }),
});

/** The one file with all rules. */
export const windsurfRules = toolFile({
  name: "windsurfrules",
  title: "Windsurf rules",
  documentation: "https://docs.windsurf.com/windsurf/cascade/memories",
  kind: "rule",
  path: /(?:^|\/)((?:[^/]+\/)?)\.windsurfrules$/i,
  fields: () => ({ alwaysApply: true }),
});
