import { type ComparableFile, findChangedFiles } from "../content/diff.ts";
import { fitText, plainLine } from "../imports/foreign/names.ts";
import { placeholders } from "../template/render.ts";
import { readText } from "./read.ts";
import type { PromptKind } from "../content/kinds.ts";

const longest = 200;
const longestQuote = 60;
const mostNamed = 3;

/** The files of a version, and the text of its entry file. */
export interface Content {
  files: readonly ComparableFile[];
  /** Empty if it has none. */
  entry: string;
}

/** The message of a commit: what it changes; null if it changes nothing. */
export function messageOf(
  { kind, entryPath }: { kind: PromptKind; entryPath: string },
  before: Content | null,
  after: Content,
): string | null {
  if (before === null) return "First version";
  const changed = findChangedFiles(before.files, after.files);
  const [main] = changed.filter(({ path }) => path === entryPath);
  const others = changed.filter((one) => one !== main);
  const parts = [
    ...(main?.status === "modified" ? [`Change ${entryPath}${whatIn(kind, before.entry, after.entry)}`] : []),
    ...others
      .slice(0, mostNamed)
      .map(({ status, path, oldPath }) =>
        status === "renamed" ? `rename ${oldPath} to ${path}` : `${verbs[status]} ${path}`,
      ),
    ...(others.length > mostNamed ? [`change ${others.length - mostNamed} more files`] : []),
  ];
  const text = parts.join("; ");
  return text === "" ? null : fitText(text.charAt(0).toUpperCase() + text.slice(1), longest);
}

const verbs = { added: "add", removed: "remove", modified: "change", renamed: "rename" };

/** What changed in a text: its variables and parts, or else the first line that is new or gone. */
function whatIn(kind: PromptKind, before: string, after: string): string {
  const variables = differ(placeholders(before), placeholders(after));
  const titles = (text: string) => readText(kind, text).headings.map(({ text: title }) => title);
  const sections = kind === "chat" ? { added: [], removed: [] } : differ(titles(before), titles(after));
  const said = [
    named("add", "variable", variables.added),
    named("remove", "variable", variables.removed),
    named("add", "section", sections.added),
    named("remove", "section", sections.removed),
  ].flat();
  if (said.length > 0) return `: ${said.join(", ")}`;
  const { added, removed } = differ(linesOf(before), linesOf(after));
  const [line] = added.length > 0 ? added : removed;
  const quoted = fitText(line ?? null, longestQuote);
  return quoted === null ? "" : `: ${added.length > 0 ? "write" : "remove"} “${quoted}”`;
}

/** `add variables a, b`; of many how many. */
function named(verb: string, noun: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  if (names.length > mostNamed) return [`${verb} ${names.length} ${noun}s`];
  const shown = names.map((name) => plainLine(name.slice(0, longestQuote)));
  return [`${verb} ${noun}${names.length > 1 ? "s" : ""} ${shown.join(", ")}`];
}

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim());

/** What one list has and the other has not. */
function differ(before: readonly string[], after: readonly string[]) {
  const [old, now] = [new Set(before), new Set(after)];
  const only = (list: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...list].filter((one) => one !== "" && !other.has(one));
  return { added: only(now, old), removed: only(old, now) };
}

/** The lines that are new and those that are gone, as far as they say what changed. */
export const changedLines = (before: string, after: string) => differ(linesOf(before), linesOf(after));
