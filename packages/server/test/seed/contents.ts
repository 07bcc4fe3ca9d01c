import { hash } from "node:crypto";
import { entryFiles } from "@promptreg/core";
import { Draw } from "./draw.ts";
import type { Prompt } from "./prompts.ts";
import type { Registry } from "./registry.ts";
import { wordsOf } from "./words.ts";

/** A file of a version; `of` says who else has its content: anybody, all versions of the prompt, or none. */
export interface SeedFile {
  path: string;
  mode: string;
  mediaType: string;
  content: string;
  of: "anybody" | "prompt" | "version";
}

/** In the order of their paths. */
export function filesOf(registry: Registry, prompt: Prompt, n: number): SeedFile[] {
  const isShared = registry.texts.length > 0;
  const entry = { mode: "100644", of: (isShared ? "anybody" : "version") as SeedFile["of"] };
  const path = entryFiles[prompt.kind];
  const text = bodyOf(registry, prompt, n);
  if (prompt.kind === "chat")
    return [{ ...entry, path, mediaType: "application/json", content: chatOf(text) }];
  if (prompt.kind !== "skill") {
    const isCommon = !isShared && prompt.versions === 1 && prompt.index % 10 === 0;
    const content = isCommon ? commonText(prompt.index) : text;
    return [{ ...entry, path, mediaType: "text/markdown", content, of: isCommon ? "anybody" : entry.of }];
  }
  const content = `---\nname: ${prompt.slug}\ndescription: ${prompt.title}\n---\n${text}`;
  const reference = bodyOf(registry, prompt, 0);
  return [
    { ...entry, path, mediaType: "text/markdown", content, of: "version" },
    { ...entry, path: "reference.md", mediaType: "text/markdown", content: reference, of: "prompt" },
    {
      path: "scripts/run.sh",
      mode: "100755",
      mediaType: "text/x-shellscript",
      content: script,
      of: "anybody",
    },
  ];
}

const chatOf = (content: string): string => JSON.stringify({ messages: [{ role: "user", content }] });

/** What models read of a version: the entry file without what stands before it, or the text of its one message. */
export function bodyOf(registry: Registry, prompt: Prompt, n: number): string {
  const { number, texts } = registry;
  const draw = new Draw(number, 4, prompt.index, n);
  const signature = `Number ${prompt.index}, ${n}.\n`;
  if (texts.length === 0)
    return `Draft {{topic}}: ${wordsOf(draw, 20 + draw.below(20)).join(" ")}.\n${signature}`;
  const text = texts[draw.skewed(texts.length)]!;
  return prompt.kind === "skill" ? `${text}${signature}` : text;
}

const script = "#!/bin/sh\nexit 0\n";
const commonTexts = 100;
const commonText = (index: number) => {
  const draw = new Draw(5, index % (commonTexts * 10));
  return `Draft {{topic}}: ${wordsOf(draw, 20).join(" ")}.\n`;
};

/** Every content that belongs to nobody alone. */
export const commonContents = ({ texts }: Registry): string[] => [
  ...new Set([
    script,
    ...Array.from({ length: commonTexts }, (_, nth) => commonText(nth * 10)),
    ...texts,
    ...texts.map(chatOf),
  ]),
];

export const sha256 = (content: string): string => hash("sha256", content, "hex");

export const contentHashOf = (files: readonly SeedFile[]): string =>
  `sha256:${sha256(files.map(({ path, mode, content }) => `${path}\0${mode}\0${sha256(content)}\n`).join(""))}`;
