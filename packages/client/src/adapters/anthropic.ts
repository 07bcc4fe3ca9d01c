/** Parameters for Anthropic's SDK. */
import {
  type AnyMessage,
  type AnyPart,
  argumentsOf,
  bytesOf,
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
} from "./compiled.ts";

type ImageSource =
  | { type: "url"; url: string }
  | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string };

type ImageBlock = { type: "image"; source: ImageSource };

/** A part of a message. */
export type ContentBlock =
  | TextPart
  | ImageBlock
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | { type: "tool_result"; tool_use_id: string; content: string | (TextPart | ImageBlock)[] };

/**
 * The parameters of `anthropic.messages.create` that a prompt sets. It needs `max_tokens` and a `model`: add what the config
 * lacks.
 */
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
 * For `anthropic.messages.create`. System messages go to `system`, wherever they stand. Results of tools go to the user's
 * turn. A `responseFormat` without a schema has no equivalent there, and is left out.
 */
export function messageParams<Config extends object>({
  messages,
  config,
  tools,
}: Compiled<Config>): MessageParams<Config> {
  const { model, temperature, topP, maxTokens, stop, responseFormat } = settingsOf(config);
  const all = messages as readonly AnyMessage[];
  const system = all.filter(isSystem).flatMap(partsOf);
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

/** The results of several tools must stand in one turn, and a turn must not be empty. */
function turnsOf(messages: readonly AnyMessage[]): { role: string; content: unknown[] }[] {
  const turns: { role: string; content: unknown[] }[] = [];
  let isAnswered = false;
  for (const message of messages) {
    const isAnswer = message.role === "tool";
    const blocks = blocksOf(message);
    if (blocks.length === 0) continue;
    if (isAnswer && isAnswered) turns.at(-1)?.content.push(...blocks);
    else turns.push({ role: message.role === "assistant" ? "assistant" : "user", content: blocks });
    isAnswered = isAnswer;
  }
  return turns;
}

function blocksOf(message: AnyMessage): unknown[] {
  const { role, content, tool_calls: calls } = message;
  const said = partsOf(message).map(blockOf);
  if (role === "tool") {
    const answer = Array.isArray(content) ? said : (content ?? "");
    return [{ type: "tool_result", tool_use_id: callIdOf(message), content: answer }];
  }
  return [
    ...said,
    ...(calls ?? []).map(({ id, function: call }) => ({
      type: "tool_use",
      id,
      name: call.name,
      input: argumentsOf(call),
    })),
  ];
}

function blockOf(part: AnyPart): unknown {
  const image = imageOf(part);
  if (image === undefined) return part;
  const bytes = bytesOf(image);
  const source =
    bytes === undefined
      ? { type: "url", url: image.url }
      : { type: "base64", media_type: bytes.mediaType, data: bytes.data };
  return { type: "image", source };
}

function schemaOf(format: unknown): unknown {
  const { schema, json_schema: nested } = Object(format) as {
    schema?: object;
    json_schema?: { schema?: object };
  };
  return nested?.schema ?? schema;
}
