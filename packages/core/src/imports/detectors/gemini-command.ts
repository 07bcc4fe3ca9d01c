import { parse } from "smol-toml";
import { ImportError, type TextDetector } from "../detector.ts";
import { firstOf } from "../../formats/safety.ts";
import { readsFiles, runsCommands, toolDraft } from "../foreign/tool-file.ts";
import { textIn } from "../foreign/values.ts";

const place = /(?:^|\/)(\.gemini\/)?commands\/(.+)\.toml$/i;

/** A slash command of Gemini CLI, in TOML. */
export const geminiCommand: TextDetector = {
  name: "gemini-command",
  title: "Gemini CLI command",
  documentation: "https://geminicli.com/docs/cli/custom-commands",
  confidence: 1,
  takes: (path) => place.test(path),
  async read({ path, text }, around) {
    const [found = "", own, called = ""] = place.exec(path) ?? [];
    // An extension has its commands beside its manifest: https://geminicli.com/docs/extensions
    const root = path.slice(0, path.length - found.length + (found.startsWith("/") ? 1 : 0));
    if (own === undefined && (await around.read(`${root}gemini-extension.json`)) === null) return [];
    const { prompt, description } = readToml(text);
    if (typeof prompt !== "string") throw new ImportError("It has no prompt.");
    return [
      toolDraft({
        name: this.name,
        title: this.title,
        documentation: this.documentation,
        kind: "command",
        syntax: "gemini",
        called,
        data: { description: textIn(description) },
        body: prompt,
        warnings: [],
        expands: [
          runsCommands((text) => firstOf(text, /!\{[^}\n]{1,60}/g)),
          readsFiles((text) => firstOf(text, /@\{[^}\n]{1,60}/g)),
        ],
      }),
    ];
  },
};

function readToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    const [first = ""] = (error as Error).message.split("\n");
    throw new ImportError(`It is not valid TOML: ${first}.`);
  }
}
