import type { ImportSource } from "@promptreg/core";
import { looksLikeArchive } from "@promptreg/core/archives";
import type { ServerContext } from "../../../kernel/server-context.ts";

/** What the detection opens. It lies on disk: nothing large goes through a message. */
export type Material =
  /** JSON: a list of files as callers send them (`FileInput[]`). */
  | { type: "texts"; file: string }
  /** One file. Its format is recognised by `path`. */
  | { type: "file"; file: string; path: string }
  /** Only what is below `path`. `stripRoot`: paths begin below the one folder that an archive of a repository has. */
  | { type: "archive"; file: string; path?: string; stripRoot?: boolean };

/** A file of somebody, which may be an archive whatever it is called. */
export const materialOf = async (file: string, path: string): Promise<Material> =>
  (await looksLikeArchive(file)) ? { type: "archive", file } : { type: "file", file, path };

/** Where material is put, and until when. */
export interface Gathering {
  server: ServerContext;
  /** An empty folder. Whoever made it deletes it. */
  folder: string;
  signal: AbortSignal;
}

export interface Gathered {
  material: Material;
  /** What is known of the source now: its commit. */
  found?: Partial<ImportSource>;
}

/** Why nothing came of a source: a sentence for the owner of the import, which fails. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}
