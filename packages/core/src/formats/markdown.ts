import type { Format } from "./format.ts";
import { textFile } from "./text.ts";

/** The text alone, with its variables as they are. */
export const markdown: Format = {
  reads: "entry",
  write: ({ slug, body }) => ({ files: [textFile(`${slug}.md`, body)] }),
};
