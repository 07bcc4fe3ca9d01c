import { withoutByteOrderMark } from "../../template/frontmatter.ts";
import { ImportError, type TextDetector } from "../detector.ts";
import { markdownOf } from "../foreign/draft.ts";
import { readLenient } from "../foreign/frontmatter.ts";
import { isManifest } from "./prompt-folder.ts";
import { isObject, prefixOf, textIn } from "../foreign/values.ts";

/** A skill with the files of its folder. Its text is never filled in, so it stays as it is. */
export const agentSkill: TextDetector = {
  name: "agent-skill",
  title: "Agent Skill",
  documentation: "https://agentskills.io/specification",
  confidence: 1,
  claims: true,
  takes: (path) => /(?:^|\/)SKILL\.md$/.test(path),
  async read({ path, text }, around) {
    const prefix = prefixOf(path);
    // Its manifest says more, and is no file of the skill.
    if (isManifest(await around.read(`${prefix}promptreg.json`))) return [];
    const { data, body, warnings } = readLenient(text);
    const { name, description, license, metadata } = data;
    if (textIn(description) === null) throw new ImportError("The skill has no description.");
    const called = textIn(name) ?? path.split("/").at(-2) ?? "";
    return [
      {
        part: null,
        kind: "skill",
        name: called,
        title: (isObject(metadata) ? textIn(metadata["title"]) : null) ?? called,
        summary: textIn(description),
        tags: [],
        license: textIn(license),
        entry:
          warnings.length === 0 ? withoutByteOrderMark(text) : markdownOf({ ...data, name: called }, body),
        folder: prefix.slice(0, -1),
        warnings,
      },
    ];
  },
};
