import { heldMarkers, withMarkers, withPositions } from "./arguments.ts";
import type { Format } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { omittedDefaults } from "./omitted.ts";
import { saidOf, textFile } from "./text.ts";
import { hintOf } from "./tool-fields.ts";

/** A custom prompt of Codex, which deprecates them for skills. Several arguments are typed as NAME=value. */
export const codexPrompt: Format = {
  reads: "entry",
  folder: ".codex/prompts",
  write(prompt) {
    const names: string[] = [];
    const text =
      withPositions(prompt) ??
      withMarkers(prompt.body, "$ARGUMENTS", (name, index) => {
        names[index] = markerName(name, index);
        return `$${names[index]}`;
      });
    const hint = names.map((name) => `${name}=…`).join(" ") || hintOf(prompt);
    const fields = { description: saidOf(prompt), "argument-hint": hint };
    return {
      files: [textFile(`${prompt.slug}.md`, withFrontmatter(fields, text))],
      warnings: [
        "Codex deprecates custom prompts. Prefer the format agent-skill.",
        ...omittedDefaults(prompt, "Codex"),
        ...heldMarkers(prompt.body, "Codex", /\$(?:\d|[A-Z][A-Z0-9_]*)/),
      ],
    };
  },
};

/** Codex takes capital letters. Names that would be the same then are numbered. */
const markerName = (name: string, index: number): string =>
  /^(?!arg_|arguments$)[a-z][a-z0-9_]*$/.test(name) ? name.toUpperCase() : `ARG_${index + 1}`;
