/** The input of the adapters: what `compile` returns, or the part of it that an application has. */
export interface Compiled<Config extends object = object> {
  messages: readonly unknown[];
  config: Config;
  tools: readonly object[];
}

/** `model` is required if the type of the config has it, and else optional. */
export type ModelOf<Config> = Config extends { readonly model: infer Model extends string }
  ? { model: Model }
  : { model?: string };

/** A text part of a message. */
export interface TextPart {
  type: "text";
  text: string;
}

/** The settings that a registry knows. Everything else in a config belongs to the application. */
interface Settings {
  model?: string;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  stop?: string | string[];
  responseFormat?: string | Record<string, unknown>;
}

export const settingsOf = (config: object): Settings => config;

/**
 * Copies fields deeply, since a caller may change what it gets, and the prompt is shared with others. Leaves out fields that are
 * undefined, since SDKs send some of them as null.
 */
export const defined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, copyOf(value)]])),
  ) as never;

/** What is no plain JSON, such as a schema of a library, belongs to the caller, and stays what it is. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) copy[key] = copyOf(copy[key]);
  return copy;
}

export const listOf = (one: string | string[] | undefined): string[] | undefined =>
  typeof one === "string" ? [one] : one;

/** A message as an adapter reads it. A caller's messages may have any form. */
export interface AnyMessage {
  role?: unknown;
  content?: unknown;
  /** What a model said instead of an answer. */
  refusal?: string | null;
  name?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  /** A field of the AI SDK. */
  providerOptions?: object;
}

export type AnyPart = { type: string; text?: string; refusal?: string; image_url?: string | Image };

/** The detail at which a model looks at an image. */
export type Detail = "low" | "high" | "auto";

/** An image by its URL: on the web, or its bytes in a `data:` URL. */
export interface Image {
  url: string;
  detail?: Detail;
}

/** The parts of a message. A refusal counts as text. Empty texts are left out, since no SDK accepts them. */
export function partsOf({ content, refusal }: AnyMessage): AnyPart[] {
  const text = typeof content === "string" ? content : "";
  const parts: AnyPart[] = Array.isArray(content) ? content : [{ type: "text", text }];
  return [...parts, { type: "refusal", refusal: refusal ?? "" }]
    .map((part) => (part.type === "refusal" ? { type: "text", text: part.refusal ?? "" } : part))
    .filter(({ type, text }) => type !== "text" || text !== "");
}

/** All texts of the parts, joined. */
export const textOf = (parts: readonly AnyPart[]): string => parts.map(({ text }) => text ?? "").join("");

/** The parts as one text; undefined if one of them is no text. */
export const plainOf = (parts: readonly AnyPart[]): string | undefined =>
  parts.every(({ text }) => text !== undefined) ? textOf(parts) : undefined;

export const imageOf = ({ type, image_url: image }: AnyPart): Image | undefined =>
  type !== "image_url" ? undefined : typeof image === "string" ? { url: image } : image;

/** The bytes of an image in base64; undefined for an image on the web. */
export function bytesOf({ url }: Image): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

export const isSystem = ({ role }: AnyMessage): boolean => role === "system" || role === "developer";

/** @throws {TypeError} if a model wrote broken arguments: no other model accepts them. */
export function argumentsOf({ name, arguments: text }: { name: string; arguments: string }): object {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new TypeError(`The arguments of a call to ${name} are not JSON.`);
  }
}

/** @throws {TypeError} if a tool's result does not name its call. */
export function callIdOf({ tool_call_id: id }: AnyMessage): string {
  if (typeof id === "string") return id;
  throw new TypeError("A tool message needs tool_call_id, the id of its call.");
}

/** A function that a model can call, and the JSON Schema of its parameters. */
export interface FunctionTool {
  name: string;
  description?: string;
  parameters: { type: "object"; [key: string]: unknown };
  strict?: boolean;
}

/** Reads a tool of CHAT.json in the form of any SDK; undefined for a tool that a provider runs itself. */
export function functionOf(tool: object): FunctionTool | undefined {
  const { function: nested, ...flat } = tool as { function?: object };
  const { name, description, strict, ...rest } = (nested ?? flat) as Partial<FunctionTool> & {
    type?: string;
    input_schema?: FunctionTool["parameters"];
  };
  const parameters = rest.parameters ?? rest.input_schema;
  const isFunction = nested !== undefined || parameters !== undefined || rest.type === "function";
  if (!isFunction || name === undefined) return undefined;
  return {
    name,
    parameters: parameters ?? { type: "object", properties: {} },
    ...defined({ description, strict }),
  };
}

/** Maps the tools that are functions, and keeps the others; undefined if there are none. */
export function mapTools<T>(tools: readonly object[], map: (tool: FunctionTool) => T): T[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map((tool) => {
    const known = functionOf(tool);
    return known === undefined ? (tool as T) : map(known);
  });
}
