import { join } from "node:path";
import type { FileInput } from "@promptreg/core/content";
import { git, placeInGit } from "./git.ts";

/**
 * The files as git keeps them: with LF, where it writes CRLF on the disk alone, as on Windows. Else each checkout there would be a
 * version of its own. All other files stay byte for byte.
 */
export async function asGitKeeps(folder: string, files: readonly FileInput[]): Promise<FileInput[]> {
  const paths = files.filter(hasCrlf).map(({ path }) => path);
  if (paths.length === 0) return [...files];
  const kept = await keptWithLf(folder, paths);
  return files.map((file) => (kept.has(file.path) ? { ...file, content: withLf(file.content) } : file));
}

const hasCrlf = ({ content, encoding }: FileInput) => encoding !== "base64" && content.includes("\r\n");

export const withLf = (text: string): string => text.replaceAll("\r\n", "\n");

/** `i/lf    w/crlf  attr/text=auto`, then a tab and the path: what the index has, what the disk has, and what attributes say. */
const line = /^i\/(\S*)\s+w\/(?:crlf|mixed)\s+attr\/([^\t]*)\t([^]*)$/;

/** None where there is no git, or it does not answer. */
async function keptWithLf(folder: string, paths: readonly string[]): Promise<Set<string>> {
  try {
    const { root, inside } = placeInGit(folder);
    const prefix = inside === "." ? "" : `${inside}/`;
    const wanted = paths.map((path) => join(inside, path));
    const listed = await git(root, ["ls-files", "--eol", "--cached", "--others", "-z", "--", ...wanted]);
    const isAuto = await git(root, ["config", "--get", "core.autocrlf"]).then(
      (value) => /^(?:true|yes|on|1|input)\s*$/i.test(value.toString()),
      // It is not set.
      () => false,
    );
    const kept = listed
      .toString()
      .split("\0")
      .flatMap((record) => {
        const [, index = "", attributes = "", path = ""] = line.exec(record) ?? [];
        const [text = ""] = attributes.trim().split(" ");
        // What was committed with CRLF, git leaves alone unless an attribute says that it is text.
        const isKept =
          text === "text" ||
          ((text === "text=auto" || (text === "" && isAuto)) && index !== "crlf" && index !== "mixed");
        return isKept ? path.slice(prefix.length) : [];
      });
    return new Set(kept);
  } catch {
    return new Set();
  }
}
