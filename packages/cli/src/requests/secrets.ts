import { findSecrets } from "@promptreg/core/secrets";
import type { Detail } from "../errors.ts";

/** A text that is searched, by its file or field. */
interface Text {
  path: string;
  text: string;
}

/** Says what looks like a secret in texts; each is told by its line and kind, never itself. */
export async function describeSecrets(texts: readonly Text[]): Promise<Detail[]> {
  const details: Detail[] = [];
  for (const { path, text } of texts)
    for (const { line, kind } of await findSecrets(text)) {
      const message = `line ${line} looks like a secret (${kind}). --allow-secrets sends it anyway`;
      details.push({ path, message });
    }
  return details;
}
