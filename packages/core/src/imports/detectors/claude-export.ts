import type { ImportDraft, StreamDetector, TextDetector } from "../detector.ts";
import { type Conversation, promptsIn, type Said } from "../foreign/conversation.ts";
import { draftOf } from "../foreign/draft.ts";
import { itemsOf } from "../foreign/stream.ts";
import { firstWords, isObject, parseJson, textIn, type Values } from "../foreign/values.ts";

const documentation = "https://support.claude.com/en/articles/9450526-how-can-i-export-my-claude-data";

/** The conversations in an export of Claude. */
export const claudeConversations: StreamDetector = {
  name: "claude-conversations",
  title: "Claude conversations",
  documentation,
  confidence: 0.4,
  takes: (path) => /(^|\/)conversations(-\d+)?\.json$/.test(path),
  stream: (chunks) => promptsIn(conversationsIn(chunks)),
};

async function* conversationsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Conversation> {
  for await (const item of itemsOf(chunks)) {
    if (!isObject(item) || !Array.isArray(item["chat_messages"])) return;
    yield { title: textIn(item["name"]), said: item["chat_messages"].flatMap(saidIn) };
  }
}

function saidIn(message: unknown): Said[] {
  if (!isObject(message) || message["sender"] !== "human" || typeof message["uuid"] !== "string") return [];
  return [{ id: message["uuid"], text: textIn(message["text"]) ?? textOf(message["content"]) }];
}

/** The texts among the blocks of a message. */
const textOf = (blocks: unknown): string =>
  (Array.isArray(blocks) ? blocks : [])
    .flatMap((block) => (isObject(block) && block["type"] === "text" ? [textIn(block["text"]) ?? ""] : []))
    .join("\n");

const projects = {
  name: "claude-projects",
  title: "Claude projects",
  documentation,
  confidence: 0.9,
};

/** The instructions of the projects in an export of Claude. */
export const claudeProjects: StreamDetector = {
  ...projects,
  takes: (path) => /(^|\/)projects\.json$/.test(path),
  async *stream(chunks) {
    for await (const project of itemsOf(chunks)) {
      if (!isProject(project)) return;
      yield* readProject(project);
    }
  },
};

/** The same in a newer export, which has a file for each project. */
export const claudeProject: TextDetector = {
  ...projects,
  takes: (path) => /(^|\/)projects\/[\da-f-]{36}\.json$/.test(path),
  read({ text }) {
    const project = parseJson(text, '"prompt_template"');
    return isProject(project) ? Array.from(readProject(project), (found) => ({ ...found, part: null })) : [];
  },
};

const isProject = (value: unknown): value is Values => isObject(value) && "prompt_template" in value;

/** The project that everybody has at the beginning is Anthropic's. */
function* readProject(project: Values): Generator<ImportDraft> {
  const { uuid, name, description, prompt_template: text, docs, is_starter_project: isTheirs } = project;
  const instructions = textIn(text);
  if (instructions === null || isTheirs === true) return;
  const title = textIn(name) ?? firstWords(instructions);
  yield draftOf({
    part: textIn(uuid) ?? title,
    name: title,
    summary: textIn(description),
    items: [{ role: "user", content: instructions }],
    syntax: "none",
    warnings:
      Array.isArray(docs) && docs.length > 0
        ? [`The documents of the project are left out: ${docs.length}.`]
        : [],
  });
}
