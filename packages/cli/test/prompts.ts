import type { Prompt, Version } from "@promptreg/core";
import { contentHash } from "@promptreg/core";
import { createHash } from "node:crypto";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A version of ada/reply with these files. */
export async function versionOf(n: number, files: Record<string, string>): Promise<Version> {
  const list = Object.entries(files).map(([path, content]) => ({
    path,
    mode: "100644" as const,
    size: content.length,
    sha256: sha256(content),
    mediaType: "text/markdown",
    encoding: "utf8" as const,
    content,
  }));
  return {
    id: `ver_${n}`,
    n,
    promptId: "prm_1",
    message: null,
    files: list,
    entry: "PROMPT.md",
    contentHash: await contentHash(list),
    variables: [],
    config: {},
    tokenEstimate: 1,
    author: { id: "usr_1", handle: "ada" },
    createdAt: "2026-11-20T10:00:00.000Z",
    origin: { type: "commit" },
  };
}

/** The prompt ada/reply as far as the command line reads it. */
export const promptOf = (version: Version | null, fields: Partial<Prompt> = {}): Partial<Prompt> => ({
  id: "prm_1",
  ref: "ada/reply",
  owner: { id: "usr_1", handle: "ada", name: null, avatarUrl: null, url: "" },
  slug: "reply",
  kind: "text",
  title: "Reply",
  summary: null,
  tags: [],
  license: null,
  visibility: "public",
  rating: "general",
  labels: {},
  version,
  ...fields,
});
