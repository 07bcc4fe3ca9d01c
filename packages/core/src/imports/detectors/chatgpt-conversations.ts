import type { StreamDetector } from "../detector.ts";
import { type Conversation, promptsIn, type Said } from "../foreign/conversation.ts";
import { itemsOf } from "../foreign/stream.ts";
import { isObject, textIn, textsIn, type Values } from "../foreign/values.ts";

/** The conversations in an export of ChatGPT. */
export const chatgptConversations: StreamDetector = {
  name: "chatgpt-conversations",
  title: "ChatGPT conversations",
  documentation: "https://help.openai.com/en/articles/7260999-how-do-i-export-my-chatgpt-history-and-data",
  confidence: 0.4,
  // Large exports come in several files.
  takes: (path) => /(^|\/)conversations(-\d+)?\.json$/.test(path),
  stream: (chunks) => promptsIn(conversationsIn(chunks)),
};

async function* conversationsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Conversation> {
  for await (const item of itemsOf(chunks)) {
    if (!isObject(item) || !isObject(item["mapping"])) return;
    yield { title: textIn(item["title"]), said: saidIn(item["mapping"], item["current_node"]) };
  }
}

/** What the user said on the branch that was shown last, from its root on. */
function saidIn(nodes: Values, leaf: unknown): Said[] {
  const said: Said[] = [];
  const seen = new Set<unknown>();
  for (let id = leaf; typeof id === "string" && !seen.has(id) && Object.hasOwn(nodes, id); ) {
    seen.add(id);
    const node = nodes[id];
    const { message, parent }: Values = isObject(node) ? node : {};
    const text = isObject(message) ? textOf(message) : "";
    if (text !== "") said.push({ id, text });
    id = parent;
  }
  return said.reverse();
}

/** The text of a visible message of the user. */
function textOf({ author, content, metadata }: Values): string {
  if (!isObject(author) || author["role"] !== "user" || !isObject(content)) return "";
  // Instructions that the user gave for all conversations stand in each of them.
  const hidden = ["is_visually_hidden_from_conversation", "is_user_system_message"];
  if (isObject(metadata) && hidden.some((flag) => metadata[flag] === true)) return "";
  return textsIn(content["parts"]).join("\n");
}
