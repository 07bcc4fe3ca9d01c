import matter from "gray-matter";
import { parse } from "yaml";
import type { PromptKind } from "../content/kinds.ts";
import type { FormatFile } from "./format.ts";
import { formatKinds, type FormatName } from "./names.ts";
import { sourceOf } from "./testing.ts";
import { writeFormat } from "./write.ts";

/** The text of a file that is there. */
export function textOf(files: readonly FormatFile[], path: string): string {
  const content = files.find((file) => file.path === path)?.content;
  if (typeof content !== "string")
    throw new Error(`No ${path} in ${files.map((file) => file.path).join(", ")}.`);
  return content;
}

/** Frontmatter and body as two readers see them: one of YAML 1.2, and the one of most tools. They must agree. */
export function readMarkdown(text: string): { data: Record<string, unknown>; body: string } {
  const { data, content } = matter(text, {});
  const [, yaml] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  if (JSON.stringify(yaml === undefined ? {} : parse(yaml)) !== JSON.stringify(data))
    throw new Error(`Two readers see different frontmatter in ${text.slice(0, 500)}`);
  return { data, body: content.replace(/^\n/, "") };
}

/** What a format writes of a text, if it writes one file. */
export function writeOne(name: FormatName, text: string, kind: PromptKind = formatKinds[name][0]) {
  const { files, warnings = [] } = writeFormat(name, sourceOf(kind, { text, files: [entryOf(kind, text)] }));
  return { path: files[0]!.path, text: String(files[0]!.content), warnings };
}

/** The entry file of a kind. */
export const entryOf = (kind: PromptKind, content: string): FormatFile => ({
  path: sourceOf(kind).version.entry,
  mode: "100644",
  content,
});
