import { listed } from "../../template/variable.ts";
import type { ImportDraft, StreamDetector, TextDetector } from "../detector.ts";
import { ImportError } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { isMessages, readMessages } from "../foreign/messages.ts";
import { settingsIn } from "../foreign/settings.ts";
import { lineRows, notUtf8, rowsOf } from "../foreign/stream.ts";
import { baseName, isObject, parseJson, type Values } from "../foreign/values.ts";

const format = {
  name: "openai-messages",
  title: "Messages for OpenAI's API",
  documentation: "https://platform.openai.com/docs/api-reference/chat/create",
  confidence: 0.95,
};

/** A request with messages, or a list of messages alone. */
export const openaiMessages: TextDetector = {
  ...format,
  takes: (path) => path.endsWith(".json"),
  read({ path, text }) {
    const request = requestOf(parseJson(text, '"role"'));
    return request === undefined ? [] : [readRequest(request, baseName(path, ".json"))];
  },
};

/** A file with a request, or a conversation to learn from, on each line. */
export const openaiLines: StreamDetector = {
  ...format,
  title: "Lines of messages for OpenAI's API",
  takes: (path) => path.endsWith(".jsonl"),
  async *stream(chunks, path) {
    let isKnown = false;
    for await (const { line, text } of rowsOf(chunks, lineRows())) {
      if (text.trim() === "") continue;
      const request = requestOf(parseJson(text, '"role"'));
      if (request === undefined) {
        if (!isKnown) return;
        yield new ImportError("It has no messages.", `line ${line}`);
        continue;
      }
      isKnown = true;
      yield notUtf8(text, `line ${line}`) ?? oneLine(request, baseName(path, ".jsonl"), line);
    }
  },
};

function oneLine(request: Values, name: string, line: number): ImportDraft | ImportError {
  try {
    return { ...readRequest(request, `${name} ${line}`), part: `line ${line}` };
  } catch (error) {
    if (error instanceof ImportError) return new ImportError(error.message, `line ${line}`);
    throw error;
  }
}

/** The value as a request; undefined if it has no messages. A line of the Batch API holds it as its body. */
function requestOf(value: unknown): Values | undefined {
  if (isMessages(value)) return { messages: value };
  const request = isObject(value) && isObject(value["body"]) ? value["body"] : value;
  return isObject(request) && isMessages(request["messages"]) ? request : undefined;
}

/** Variables stay as they are: the API has none, and our own format writes ours. */
function readRequest({ messages, tools, ...rest }: Values, name: string): ImportDraft {
  const settings = settingsIn(rest);
  const omitted = Object.keys(rest).filter((key) => !(key in settings) && rest[key] !== null);
  return draftOf({
    name,
    items: readMessages(messages as Values[]),
    syntax: null,
    settings,
    tools: Array.isArray(tools) ? tools : [],
    warnings: omitted.length === 0 ? [] : [`These parts of the request are left out: ${listed(omitted)}.`],
  });
}
