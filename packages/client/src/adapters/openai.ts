/** Parameters for OpenAI's SDK. */
import {
  type AnyMessage,
  type AnyPart,
  callIdOf,
  type Compiled,
  defined,
  type Detail,
  type FunctionTool,
  type Image,
  imageOf,
  mapTools,
  type ModelOf,
  partsOf,
  plainOf,
  settingsOf,
  type TextPart,
} from "./compiled.ts";

type Part = TextPart | { type: "image_url"; image_url: Image };

interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A message of a chat completion. */
export type ChatCompletionMessage =
  | { role: "system" | "developer"; content: string | TextPart[]; name?: string }
  | { role: "user"; content: string | Part[]; name?: string }
  | { role: "assistant"; content?: string | TextPart[] | null; name?: string; tool_calls?: ToolCall[] }
  | { role: "tool"; content: string | TextPart[]; tool_call_id: string };

type ChatFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; json_schema: { name: string; schema?: Record<string, unknown> } };

/** The parameters of `openai.chat.completions.create` that a prompt sets. */
export type ChatCompletionParams<Config = object> = ModelOf<Config> & {
  messages: ChatCompletionMessage[];
  tools?: { type: "function"; function: FunctionTool }[];
  temperature?: number;
  top_p?: number;
  max_completion_tokens?: number;
  stop?: string | string[];
  response_format?: ChatFormat;
};

/** For `openai.chat.completions.create`. Fields of the config that are no settings of a prompt are left out. */
export function chatCompletionParams<Config extends object>({
  messages,
  config,
  tools,
}: Compiled<Config>): ChatCompletionParams<Config> {
  const { model, temperature, topP, maxTokens, stop, responseFormat: format } = settingsOf(config);
  return defined({
    model,
    messages: [...messages],
    tools: mapTools(tools, (tool) => ({ type: "function", function: tool })),
    temperature,
    top_p: topP,
    max_completion_tokens: maxTokens,
    stop,
    response_format: typeof format === "string" ? { type: format } : format,
  }) as never;
}

type InputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: Detail };

/** An item of the input of a response. */
export type ResponseInput =
  | { role: "system" | "developer" | "user" | "assistant"; content: string | InputPart[] }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | InputPart[] };

type ResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; name: string; schema: Record<string, unknown> };

/** The parameters of `openai.responses.create` that a prompt sets. */
export type ResponseParams<Config = object> = ModelOf<Config> & {
  input: ResponseInput[];
  tools?: {
    type: "function";
    name: string;
    description?: string;
    parameters: Record<string, unknown>;
    strict: boolean;
  }[];
  temperature?: number;
  top_p?: number;
  max_output_tokens?: number;
  text?: { format: ResponseFormat };
};

/** For `openai.responses.create`, which has no `stop`. */
export function responseParams<Config extends object>({
  messages,
  config,
  tools,
}: Compiled<Config>): ResponseParams<Config> {
  const { model, temperature, topP, maxTokens, responseFormat } = settingsOf(config);
  return defined({
    model,
    input: (messages as AnyMessage[]).flatMap(inputOf),
    tools: mapTools(tools, (tool) => ({ type: "function", strict: false, ...tool })),
    temperature,
    top_p: topP,
    max_output_tokens: maxTokens,
    text: responseFormat === undefined ? undefined : { format: formatOf(responseFormat) },
  }) as never;
}

function inputOf(message: AnyMessage): unknown[] {
  const { role, content, tool_calls: calls } = message;
  // An item that came from this API stays as it is.
  if (typeof role !== "string" || "type" in message) return [message];
  const parts = partsOf(message);
  // Input parts are not for a model's messages, so these become text.
  const isText = !Array.isArray(content) || role === "assistant";
  const said = (isText ? plainOf(parts) : undefined) ?? parts.map(inputPartOf);
  if (role === "tool") return [{ type: "function_call_output", call_id: callIdOf(message), output: said }];
  return [
    ...(said.length > 0 ? [{ role, content: said }] : []),
    ...(calls ?? []).map(({ id, function: call }) => ({ type: "function_call", call_id: id, ...call })),
  ];
}

function inputPartOf(part: AnyPart): unknown {
  const image = imageOf(part);
  if (image !== undefined)
    return { type: "input_image", image_url: image.url, detail: image.detail ?? "auto" };
  return part.type === "text" ? { type: "input_text", text: part.text } : part;
}

/** Chat completions nest a schema, responses do not. */
function formatOf(format: string | Record<string, unknown>): unknown {
  if (typeof format === "string") return { type: format };
  const { json_schema: nested, ...rest } = format;
  return typeof nested === "object" ? { ...rest, ...nested } : format;
}
