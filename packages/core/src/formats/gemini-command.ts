import { withOneMarker } from "./arguments.ts";
import type { Format } from "./format.ts";
import { quoted } from "./frontmatter.ts";
import { checkExpansions, type Expansion, firstOf } from "./safety.ts";
import { saidOf, textFile } from "./text.ts";

const expansions: Expansion[] = [
  { find: (text) => firstOf(text, /!\{[^}]{0,60}/g), does: "runs the shell commands in the text" },
  { find: (text) => firstOf(text, /@\{[^}]{0,60}/g), does: "reads the files that the text names in @{}" },
];

/** A slash command of Gemini CLI, in TOML. */
export const geminiCommand: Format = {
  reads: "entry",
  folder: ".gemini/commands",
  write(prompt) {
    const text = withOneMarker(prompt, "{{args}}");
    const description = saidOf(prompt);
    const lead = description === undefined ? "" : `description = ${quoted(description)}\n`;
    const toml = `${lead}prompt = """\n${escaped(text.trimEnd())}\n"""`;
    return {
      files: [textFile(`${prompt.slug}.toml`, toml)],
      risks: checkExpansions(prompt, text, "Gemini CLI", expansions),
    };
  },
};

/** For a text between triple quotes. A carriage return is escaped, since readers of TOML may change it. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', '""\\"')
    .replace(/(?![\t\n])\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
