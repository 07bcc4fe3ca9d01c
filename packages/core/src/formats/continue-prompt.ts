import { withNames } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import {
  anyWords,
  checkExpansions,
  type Expansion,
  expansionsIn,
  fileReferences,
  firstOf,
} from "./safety.ts";
import { describe, textFile } from "./text.ts";

const tool = "Continue";

/** It looks for `@` in the middle of words too. */
const providers: Expansion = {
  find: (text) =>
    firstOf(
      text,
      /@(?:http\S*|(?:file|clipboard|repo-map|currentFile|os|problems|codebase|tree|open|debugger|terminal|diff)(?!\S))/g,
    ),
  does: "fetches what the text names after @, such as a page, the clipboard or the terminal",
};

const templates: Expansion = {
  find: (text) => firstOf(text, /\{\{\{ input \}\}\}/g),
  does: "fills in the braces of the text, also with files",
};

/** A slash command of Continue. What is typed after its name goes along. */
export const continuePrompt: Format = {
  reads: "entry",
  folder: ".continue/prompts",
  write(prompt) {
    const text = withNames(prompt);
    const fields = { name: prompt.slug, description: describe(prompt), invokable: true };
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))],
      risks: checkExpansions(prompt, text, tool, [fileReferences, providers, templates]),
      warnings: fileReferences.find(text) ? [] : expansionsIn(prompt, text, tool, [anyWords]),
    };
  },
};
