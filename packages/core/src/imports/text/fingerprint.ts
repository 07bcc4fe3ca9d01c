import { type Sha256, sha256Hex } from "../../content/content-hash.ts";
import type { PromptKind } from "../../content/kinds.ts";
import { withoutFrontmatter } from "../../template/frontmatter.ts";
import { readTemplate } from "../../template/render.ts";
import { type ChatItem, templatesOf } from "../../template/version.ts";

const encoder = new TextEncoder();

/**
 * The text of a valid entry file as duplicates are compared: what a model reads, without case, the names of variables, and the
 * amount of space. Of a chat also who says it.
 */
export function comparableText(kind: PromptKind, entry: string): string {
  const text = kind === "chat" ? textOfChat(entry) : withoutFrontmatter(entry);
  const unnamed = readTemplate(text).map((piece) => (typeof piece === "string" ? piece : "{{}}"));
  return unnamed.join("").normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

function textOfChat(entry: string): string {
  const { messages } = JSON.parse(entry) as { messages: ChatItem[] };
  return messages
    .map((item) => ("role" in item ? `${item.role}: ${templatesOf(item).join("\n")}` : `{{${item.name}}}`))
    .join("\n");
}

/**
 * The digest by which exact duplicates are found, as 64 hexadecimal digits. Null for a text without letters, such as a skill that is
 * nothing but its files: two of these have nothing in common.
 */
export const fingerprint = async (comparable: string, sha256: Sha256 = sha256Hex): Promise<string | null> =>
  /[\p{L}\p{N}]/u.test(comparable) ? sha256(encoder.encode(comparable)) : null;
