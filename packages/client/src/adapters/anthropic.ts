/** What a prompt gives, as Anthropic's SDK takes it. */
import {
  type AnyMessage,
  type AnyPart,
  argumentsOf,
  callIdOf,
  type Compiled,
  defined,
  imageOf,
  isSystem,
  listOf,
  mapTools,
  type ModelOf,
  partsOf,
  settingsOf,
  type TextPart,
  textOf,
} from "./compiled.ts";

type ImageSource =
  | { type: "url"; url: string }
  | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string };

/** A part of a message. */
export type ContentBlock =
  | TextPart
  | { type: "image"; source: ImageSource }
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | { type: "tool_result"; tool_use_id: string; content: string };

/** What `anthropic.messages.create` takes of a prompt; it wants `max_tokens` and a `model`, so give what the config lacks. */
export type MessageParams<Config = object> = ModelOf<Config> &
  (Config extends { readonly maxTokens: number } ? { max_tokens: number } : { max_tokens?: number }) & {
    system?: TextPart[];
    messages: { role: "user" | "assistant"; content: ContentBlock[] }[];
    tools?: {
      name: string;
      description?: string;
      input_schema: { type: "object"; [key: string]: unknown };
      strict?: boolean;
    }[];
    temperature?: number;
    top_p?: number;
    stop_sequences?: string[];
    output_config?: { format: { type: "json_schema"; schema: Record<string, unknown> } };
  };

/**
 * For `anthropic.messages.create`. The messages of the system go to `system`, wherever they stand, and answers of tools to
 * the user's turn. A `responseFormat` without a schema has no like there, and is left out.
 */
export function messageParams<Config extends object>({
  messages,
  config,
  tools,
}: Compiled<Config>): MessageParams<Config> {
  const { model, temperature, topP, maxTokens, stop, responseFormat } = settingsOf(config);
  const all = messages as readonly AnyMessage[];
  const system = all.filter(isSystem).flatMap(({ content }) => partsOf(content));
  const schema = schemaOf(responseFormat);
  return defined({
    model,
    max_tokens: maxTokens,
    system: system.length > 0 ? system : undefined,
    messages: turnsOf(all.filter((message) => !isSystem(message))),
    tools: mapTools(tools, ({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    temperature,
    top_p: topP,
    stop_sequences: listOf(stop),
    output_config: schema && { format: { type: "json_schema", schema } },
  }) as never;
}

/** What several tools answered must stand in one turn. */
function turnsOf(messages: readonly AnyMessage[]): { role: string; content: unknown[] }[] {
  const turns: { role: string; content: unknown[] }[] = [];
  let isAnswered = false;
  for (const message of messages) {
    const isAnswer = message.role === "tool";
    const last = turns.at(-1);
    if (isAnswer && isAnswered) last?.content.push(...blocksOf(message));
    else
      turns.push({ role: message.role === "assistant" ? "assistant" : "user", content: blocksOf(message) });
    isAnswered = isAnswer;
  }
  return turns;
}

function blocksOf(message: AnyMessage): unknown[] {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === "tool")
    return [{ type: "tool_result", tool_use_id: callIdOf(message), content: textOf(content) }];
  return [
    ...partsOf(content).map(blockOf),
    ...calls.map(({ id, function: call }) => ({
      type: "tool_use",
      id,
      name: call.name,
      input: argumentsOf(call),
    })),
  ];
}

function blockOf(part: AnyPart): unknown {
  const url = imageOf(part);
  if (url === undefined) return part;
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const source = data === undefined ? { type: "url", url } : { type: "base64", media_type: mediaType, data };
  return { type: "image", source };
}

function schemaOf(format: unknown): unknown {
  const { schema, json_schema: nested } = Object(format) as {
    schema?: object;
    json_schema?: { schema?: object };
  };
  return nested?.schema ?? schema;
}
