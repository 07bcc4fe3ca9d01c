import { globsIn, readsFiles, toolFile } from "../foreign/tool-file.ts";
import type { Values } from "../foreign/values.ts";

const documentation = "https://cursor.com/docs/rules";
const fields = ({ globs, alwaysApply }: Values) => ({
  globs: globsIn(globs),
  alwaysApply: typeof alwaysApply === "boolean" ? alwaysApply : undefined,
});

/** A project rule of Cursor. */
export const cursorRule = toolFile({
  name: "cursor-rule",
  title: "Cursor rule",
  documentation,
  kind: "rule",
  path: /(?:^|\/)\.cursor\/rules\/(.+)\.mdc?$/i,
  omits: ["globs", "alwaysApply"],
  fields,
  expands: [readsFiles()],
});

/** A rule of Cursor outside of its folder, as collections keep them. */
export const looseCursorRule = toolFile({
  name: "cursor-rule",
  title: "Cursor rule",
  documentation,
  kind: "rule",
  path: /(?:^|\/)([^/]+)\.mdc$/i,
  omits: ["globs", "alwaysApply"],
  fields,
  expands: [readsFiles()],
});

/** The one file with all rules of older releases. */
export const cursorRules = toolFile({
  name: "cursorrules",
  title: "Cursor rules",
  documentation,
  kind: "rule",
  path: /(?:^|\/)((?:[^/]+\/)?)\.cursorrules$/i,
});

/** A command of Cursor. What is typed after its name goes along with its text. */
export const cursorCommand = toolFile({
  name: "cursor-command",
  title: "Cursor command",
  documentation: "https://cursor.com/docs",
  kind: "command",
  path: /(?:^|\/)\.cursor\/commands\/(.+)\.md$/i,
  expands: [readsFiles()],
});
