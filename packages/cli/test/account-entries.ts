/** Parts of an archive of an account, as an export writes them. */
import type { TarEntry } from "../../core/src/archives/testing/tar.ts";

export const at = "2026-01-01T00:00:00.000Z";
export const head = (more: object = {}): TarEntry => ({
  name: "promptreg-account.json",
  content: JSON.stringify({
    format: "promptreg-account",
    formatVersion: 1,
    id: "3f0c2f6e-6f4b-4a3e-9d38-0b7d1f6f5a11",
    exportedAt: at,
    server: "https://promptreg.test",
    account: { handle: "ada", name: null, bio: null, website: null },
    counts: { prompts: 1, posts: 0, makes: 0 },
    ...more,
  }),
});
export const record = (more: object = {}) => ({
  id: "prm_1",
  status: "published",
  createdAt: at,
  updatedAt: at,
  publishedAt: at,
  forkedFrom: null,
  versions: [],
  labels: [],
  draft: null,
  ...more,
});
export const version = {
  n: 1,
  message: null,
  author: "ada",
  createdAt: at,
  origin: { type: "commit" },
  yanked: null,
  contentHash: `sha256:${"0".repeat(64)}`,
};
export const file = (name: string, content: unknown = ""): TarEntry => ({
  name,
  content: typeof content === "string" ? content : JSON.stringify(content),
});
export const promptOf = (prompt = "ada/x", more: object = {}): TarEntry[] => [
  file("prompts/x/promptreg.json", { prompt, kind: "text", title: "X" }),
  file("prompts/x/record.json", record(more)),
];
export const end = file("left-out.json", "[]");
export const collectionEntry = (nth: number, more: object = {}) =>
  file(`collections/${nth}/collection.json`, {
    id: `col_${nth}`,
    title: `T${nth}`,
    description: null,
    visibility: "public",
    cover: null,
    createdAt: at,
    updatedAt: at,
    items: [],
    ...more,
  });
