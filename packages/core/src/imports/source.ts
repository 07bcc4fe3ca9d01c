/** A file of a source, before it is read. */
export interface SourceFile {
  /** Relative to the root of the source, with `/`. */
  path: string;
  /** In bytes. */
  size: number;
  mode: "100644" | "100755";
}

/** Where prompts are looked for: a folder, an archive, a repository, or a text that was pasted. */
export interface Source {
  files: readonly SourceFile[];
  read(path: string): Promise<Uint8Array>;
  /** The same in pieces, for files that may be too large for memory. */
  stream(path: string): AsyncIterable<Uint8Array>;
}

/** Never a part of a prompt, and large. */
export const isLeftOut = (path: string): boolean => /(?:^|\/)(?:node_modules|\.git|__MACOSX)\//.test(path);
