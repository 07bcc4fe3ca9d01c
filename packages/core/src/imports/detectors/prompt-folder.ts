import { describeIssue } from "../../describe-issue.ts";
import { entryFiles } from "../../groups/prompts/kinds.ts";
import { Manifest } from "../../groups/prompts/manifest.ts";
import { ImportError, type TextDetector } from "../detector.ts";
import { parseJson } from "../foreign/values.ts";

/** A prompt folder of our own: a manifest with the entry file beside it. */
export const promptFolder: TextDetector = {
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
    const folder = path.replace(/\/?promptreg\.json$/, "");
    const file = `${folder === "" ? "" : `${folder}/`}${entryFiles[kind]}`;
    const entry = await around.read(file);
    if (entry === null) throw new ImportError(`The folder has no ${entryFiles[kind]} that is text.`);
    const name = prompt.replace(/^.*\//, "");
    return [{ part: null, kind, name, title, summary, tags, license, entry, folder, warnings: [] }];
  },
};
