import { expect, test } from "vitest";
import { formatKinds, writeFormat } from "../../formats/index.ts";
import { sourceOf } from "../../formats/testing.ts";
import { promptIn, promptsIn } from "../testing.ts";

test.for(formatKinds.json)("a %s comes back byte for byte, with all its files", async (kind) => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => index % 251);
  const source = sourceOf(kind);
  const files = [...source.files, { path: "run.sh", mode: "100755" as const, content: bytes }];
  const [written] = writeFormat("json", { ...source, files }).files;
  const draft = await promptIn("a/b.json", String(written?.content));
  expect(draft).toMatchObject({
    kind,
    name: "pr-review",
    title: "Review a pull request",
    summary: "Reviews a pull request.",
    tags: ["code", "review"],
    license: "MIT",
    entry: source.files[0]?.content,
    warnings: [],
  });
  expect(draft.files).toEqual(files.slice(1));
});

test.for([
  [{}, "It has no prompt, or no files."],
  [{ prompt: { kind: "song" }, files: [] }, 'It has the unknown kind "song".'],
  [{ prompt: { kind: "text" }, files: [] }, "It has no text of PROMPT.md."],
  [
    { prompt: { kind: "text" }, files: [{ path: 1, content: "a" }] },
    "It has a file without a path or content.",
  ],
  [{ prompt: { kind: "text" }, files: [{ path: "a" }] }, "It has a file without a path or content."],
  [
    { prompt: { kind: "text" }, files: [{ path: "a", encoding: "base64", content: "?" }] },
    "The content of a is not base64.",
  ],
] as const)("%j is refused", async ([exported, problem]) => {
  const text = JSON.stringify({ schema: "prompt-registry/1", ...exported });
  await expect(promptIn("a.json", text)).rejects.toThrow(problem);
  expect(await promptsIn("a.json", '{"schema": "other", "x": "prompt-registry/1"}')).toEqual([]);
});
