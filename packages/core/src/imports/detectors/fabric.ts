import { wordsOf } from "../foreign/names.ts";
import { draftOf } from "../foreign/draft.ts";
import { prefixOf } from "../foreign/values.ts";
import type { TextDetector } from "../detector.ts";

const pattern = /(?:^|\/)patterns\/([^/]+)\/system\.md$/i;

/** A pattern of Fabric: a system message, the beginning of the user's, and behind it what is piped in. */
export const fabric: TextDetector = {
  name: "fabric",
  title: "Fabric pattern",
  documentation: "https://github.com/danielmiessler/fabric#custom-patterns",
  confidence: 0.9,
  takes: (path) => pattern.test(path),
  async read({ path, text }, around) {
    const [, name = ""] = pattern.exec(path) ?? [];
    const user = (await around.read(`${prefixOf(path)}user.md`))?.trim() ?? "";
    const hasInput = [text, user].some((one) => /\{\{\s*input\s*\}\}/.test(one));
    const content = hasInput ? user : `${user}\n\n{{input}}`.trim();
    return [
      draftOf({
        name,
        title: wordsOf(name),
        items: [
          { role: "system", content: text.trim() },
          ...(content === "" ? [] : [{ role: "user" as const, content }]),
        ],
        syntax: "mustache",
      }),
    ];
  },
};
