import { describeIssue } from "../../language/describe-issue.ts";
import { entryFiles } from "../../content/kinds.ts";
import { Manifest } from "../../groups/prompts/manifest.ts";
import { declaresNoVariables, splitFrontmatter } from "../../template/frontmatter.ts";
import { ImportError, type TextDetector } from "../detector.ts";
import { parseJson, prefixOf } from "../foreign/values.ts";
import { rewritePlaceholders } from "../text/placeholders.ts";

/** A prompt folder of our own: a manifest with the entry file beside it. */
export const promptFolder = {
  name: "prompt-folder",
  title: "Prompt folder",
  documentation: "README.md",
  confidence: 1,
  claims: true,
  takes: (path) => /(?:^|\/)promptreg\.json$/.test(path),
  async read({ path, text }, around) {
    const read = Manifest.safeParse(parseJson(text, '"prompt"'), { error: describeIssue });
    const [issue] = read.error?.issues ?? [];
    if (!read.success)
      throw new ImportError(`The manifest is not valid: ${issue?.path.join(".")} ${issue?.message}.`);
    const { prompt, kind, title, summary = null, tags = [], license = null, source } = read.data;
    // The file itself is found by its own format.
    if (source !== undefined) return [];
    const prefix = prefixOf(path);
    const entry = await around.read(`${prefix}${entryFiles[kind]}`);
    if (entry === null) throw new ImportError(`The folder has no ${entryFiles[kind]} that is text.`);
    const name = prompt.slice(prefixOf(prompt).length);
    const folder = prefix.slice(0, -1);
    return [{ part: null, kind, name, title, summary, tags, license, entry, folder, warnings: [] }];
  },
} satisfies TextDetector;

/** Whether a file beside an entry file is the manifest of its folder. */
export function isManifest(text: string | null): boolean {
  const { success, data } = Manifest.safeParse(text === null ? null : parseJson(text, '"prompt"'));
  return success && data.source === undefined;
}

/** The same of a text that somebody pasted. It may mark variables as notes and other libraries of prompts do: `[[name]]`. */
export const pastedText: TextDetector = {
  ...promptFolder,
  name: "paste",
  confidence: 0.8,
  async read(given, around) {
    const drafts = await promptFolder.read(given, around);
    return drafts.map((draft) => {
      const { yaml, body } = splitFrontmatter(draft.entry);
      // Other kinds are formats of tools.
      const isPlain = entryFiles[draft.kind] === entryFiles.text && !declaresNoVariables(yaml);
      const { text, warnings } = rewritePlaceholders(body, isPlain ? "brackets" : "none", { isOurs: true });
      const head = draft.entry.slice(0, draft.entry.length - body.length);
      return { ...draft, entry: `${head}${text}`, warnings };
    });
  },
};
