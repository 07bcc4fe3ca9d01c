import { promptKinds, entryFiles, type PromptKind } from "../../content/kinds.ts";
import type { FormatFile } from "../../formats/format.ts";
import { type ImportDraft, ImportError, type TextDetector } from "../detector.ts";
import { baseName, isObject, parseJson, textIn, textsIn, type Values } from "../foreign/values.ts";

/** What the format `json` writes: a version with all its files. */
export const ownExport: TextDetector = {
  name: "json",
  title: "Export of Promptreg",
  documentation: "/reference#prompts.download",
  confidence: 0.95,
  takes: (path) => path.endsWith(".json"),
  read({ path, text }) {
    const exported = parseJson(text, "prompt-registry/1");
    if (!isObject(exported) || exported["schema"] !== "prompt-registry/1") return [];
    return [draftOf(exported, baseName(path, ".json"))];
  },
};

function draftOf({ prompt, files: given }: Values, base: string): ImportDraft {
  if (!isObject(prompt) || !Array.isArray(given)) throw new ImportError("It has no prompt, or no files.");
  const kind = prompt["kind"] as PromptKind;
  if (!promptKinds.includes(kind)) throw new ImportError(`It has the unknown kind ${JSON.stringify(kind)}.`);
  const files = given.map(readFile);
  const entry = files.find((file) => file.path === entryFiles[kind])?.content;
  if (typeof entry !== "string") throw new ImportError(`It has no text of ${entryFiles[kind]}.`);
  const name = textIn(prompt["slug"]) ?? base;
  return {
    part: null,
    kind,
    name,
    title: textIn(prompt["title"]) ?? name,
    summary: textIn(prompt["summary"]),
    tags: textsIn(prompt["tags"]),
    license: textIn(prompt["license"]),
    entry,
    files: files.filter((file) => file.path !== entryFiles[kind]),
    warnings: [],
  };
}

function readFile(file: unknown): FormatFile {
  const { path, mode, encoding, content } = isObject(file) ? file : {};
  if (typeof path !== "string" || typeof content !== "string")
    throw new ImportError("It has a file without a path or content.");
  return {
    path,
    mode: mode === "100755" ? "100755" : "100644",
    content: encoding === "base64" ? fromBase64(content, path) : content,
  };
}

function fromBase64(text: string, path: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new ImportError(`The content of ${path} is not base64.`);
  }
}
