/** Parameters for the AI SDK (`ai`, from version 6 on). */
import {
  type AnyMessage,
  type AnyPart,
  argumentsOf,
  bytesOf,
  callIdOf,
  type Compiled,
  defined,
  type Detail,
  functionOf,
  type Image,
  imageOf,
  isSystem,
  listOf,
  partsOf,
  plainOf,
  settingsOf,
  type TextPart,
  textOf,
} from "./compiled.ts";

interface ToolCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** The detail at which a model looks at an image. Only OpenAI's models know it. */
interface WithDetail {
  providerOptions?: { openai: { imageDetail: Detail } };
}

type AnswerPart =
  | TextPart
  | ({ type: "image-data"; data: string; mediaType: string } & WithDetail)
  | ({ type: "image-url"; url: string } & WithDetail);

interface ToolResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string } | { type: "content"; value: AnswerPart[] };
}

/** A message of the AI SDK. */
export type ModelMessage =
  | { role: "user"; content: (TextPart | ({ type: "image"; image: string } & WithDetail))[] }
  | { role: "assistant"; content: (TextPart | ToolCall)[] }
  | { role: "tool"; content: ToolResult[] };

/** A JSON Schema in the form of a Standard Schema that accepts every input. */
interface InputSchema {
  "~standard": {
    version: 1;
    vendor: "promptreg";
    validate: (value: unknown) => { value: unknown };
    jsonSchema: { input: () => Record<string, unknown>; output: () => Record<string, unknown> };
  };
}

/** A tool with the schema of its input. The application adds `execute`. */
export interface PromptTool {
  description?: string;
  strict?: boolean;
  inputSchema: InputSchema;
}

/** The parameters of `generateText` and `streamText` that a prompt sets. */
export interface GenerateTextParams {
  system?: string;
  messages: ModelMessage[];
  tools?: Record<string, PromptTool>;
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  stopSequences?: string[];
}

/**
 * For `generateText` and `streamText`. Left out are:
 * - the model, since the SDK takes it from a provider: `openai(config.model)`;
 * - `responseFormat`, which is the SDK's `output`;
 * - tools that a provider runs itself.
 */
export function generateTextParams({ messages, config, tools }: Compiled): GenerateTextParams {
  const { temperature, topP, maxTokens, stop } = settingsOf(config);
  const all = messages as readonly AnyMessage[];
  const system = all.filter(isSystem).map((message) => textOf(partsOf(message)));
  const functions = tools.flatMap((tool) => functionOf(tool) ?? []);
  const byName = functions.map(({ name, parameters, ...tool }) => [
    name,
    { ...tool, inputSchema: inputSchemaOf(parameters) },
  ]);
  return defined({
    system: system.length > 0 ? system.join("\n\n") : undefined,
    messages: all.filter((message) => !isSystem(message)).flatMap((message) => messageOf(message, all)),
    tools: byName.length > 0 ? Object.fromEntries(byName) : undefined,
    temperature,
    topP,
    maxOutputTokens: maxTokens,
    stopSequences: listOf(stop),
  }) as never;
}

function messageOf(message: AnyMessage, all: readonly AnyMessage[]): unknown[] {
  const { role, content, tool_calls: calls, providerOptions } = message;
  // A message that came from this SDK stays as it is.
  if (role === "tool" && Array.isArray(content) && content[0]?.type === "tool-result") return [message];
  const parts = partsOf(message);
  if (role === "tool") {
    const toolCallId = callIdOf(message);
    const toolName = nameOf(toolCallId, all) ?? message.name ?? toolCallId;
    const value = plainOf(parts);
    const output =
      value === undefined ? { type: "content", value: parts.map(answerPartOf) } : { type: "text", value };
    return [{ role, content: [{ type: "tool-result", toolCallId, toolName, output }] }];
  }
  const called = calls?.map(({ id, function: call }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: call.name,
    input: argumentsOf(call),
  }));
  const said = [...parts.map(partOf), ...(called ?? [])];
  return said.length > 0 ? [{ role, content: said, ...defined({ providerOptions }) }] : [];
}

const nameOf = (id: string, all: readonly AnyMessage[]): string | undefined =>
  all.flatMap((message) => message.tool_calls ?? []).find((call) => call.id === id)?.function.name;

function partOf(part: AnyPart): unknown {
  const image = imageOf(part);
  return image === undefined ? part : { type: "image", image: image.url, ...optionsOf(image) };
}

function answerPartOf(part: AnyPart): unknown {
  const image = imageOf(part);
  if (image === undefined) return part;
  const bytes = bytesOf(image);
  const shown =
    bytes === undefined ? { type: "image-url", url: image.url } : { type: "image-data", ...bytes };
  return { ...shown, ...optionsOf(image) };
}

const optionsOf = ({ detail }: Image): WithDetail =>
  detail === undefined ? {} : { providerOptions: { openai: { imageDetail: detail } } };

const inputSchemaOf = (schema: Record<string, unknown>): InputSchema => ({
  "~standard": {
    version: 1,
    vendor: "promptreg",
    validate: (value) => ({ value }),
    // The SDK changes the object that it gets, and the prompt is used again.
    jsonSchema: { input: () => structuredClone(schema), output: () => structuredClone(schema) },
  },
});
