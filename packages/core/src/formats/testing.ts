import { entryFiles, type PromptKind } from "../content/kinds.ts";
import { readEntry } from "../content/entry.ts";
import type { FormatSource } from "./format.ts";

const body = "You review code. Be kind.\n\nReview {{diff}} for {{team}}.";
const entries: Record<PromptKind, string> = {
  text: `---\nvariables:\n  - name: diff\n    description: The diff to review\nconfig:\n  model: gpt-5-mini\n  temperature: 0.2\n---\n${body}`,
  chat: JSON.stringify({
    messages: [
      { role: "system", content: "You review code." },
      { type: "placeholder", name: "history" },
      { role: "user", content: "Review {{diff}}." },
    ],
    config: { model: "gpt-5-mini" },
  }),
  media: "---\nconfig:\n  modality: image\n---\nA watercolour of {{subject}}.",
  skill:
    "---\nname: pr-review\ndescription: Reviews a pull request. Use when somebody asks for a review.\n---\n\n# Review\n\nSee reference/style.md.\n",
  agent: `---\nname: reviewer\ndescription: Reviews code.\ntools: [Read, Grep]\nmodel: inherit\n---\nYou review code.`,
  rule: `---\ndescription: Rules for TypeScript\nglobs: ["src/**/*.ts", "src/**/*.tsx"]\nalwaysApply: false\n---\nUse strict types.`,
  command: `---\ndescription: Reviews a diff\nargumentHint: "[diff]"\ntools: [Read]\n---\nReview {{args}}.`,
};

/** A prompt of a kind as the formats get it, with some of its fields or its entry replaced. Its data are read from the entry. */
export function sourceOf(
  kind: PromptKind,
  { text = entries[kind], ...fields }: { text?: string } & Partial<FormatSource> = {},
): FormatSource {
  const path = entryFiles[kind];
  const files = [
    { path, mode: "100644" as const, content: text },
    { path: "reference/style.md", mode: "100644" as const, content: "# Style\n" },
  ];
  const bytes = new TextEncoder().encode(text);
  const file = {
    ...files[0]!,
    size: bytes.length,
    sha256: "",
    mediaType: "",
    encoding: "utf8" as const,
    bytes,
  };
  const { variables, config } = readEntry(kind, [file], "pr-review");
  return {
    ref: "alice/pr-review",
    slug: "pr-review",
    kind,
    title: "Review a pull request",
    summary: "Reviews a pull request.",
    tags: ["code", "review"],
    license: "MIT",
    url: "https://prompts.example/api/v1/prompts/alice/pr-review",
    version: {
      n: 3,
      message: "Be kind",
      entry: path,
      variables,
      config,
      createdAt: "2026-11-20T09:30:00.000Z",
    },
    labels: ["production"],
    paths: files.map((one) => one.path),
    files,
    cases: [],
    ...fields,
  };
}
