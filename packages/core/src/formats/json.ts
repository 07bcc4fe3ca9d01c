import type { Format } from "./format.ts";
import { jsonFile, toBase64 } from "./text.ts";

/** Everything of a version, in a form that an import reads. */
export const json: Format = {
  reads: "files",
  write({ ref, slug, kind, title, summary, tags, license, labels, version, files }) {
    const { n, message, entry, createdAt } = version;
    const exported = {
      schema: "prompt-registry/1",
      prompt: { ref, slug, kind, title, summary, tags, license },
      version: { n, message, entry, labels, createdAt },
      files: files.map(({ path, mode, content }) =>
        typeof content === "string"
          ? { path, mode, encoding: "utf8", content }
          : { path, mode, encoding: "base64", content: toBase64(content) },
      ),
    };
    return { files: [jsonFile(`${slug}.json`, exported)] };
  },
};
