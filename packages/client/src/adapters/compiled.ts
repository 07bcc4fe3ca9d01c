/** What the adapters take: what `compile` gives, or as much of it as an application has. */
export interface Compiled<Config extends object = object> {
  messages: readonly unknown[];
  config: Config;
  tools: readonly object[];
}

/** `model` where the config is known to have one, and else perhaps. */
export type ModelOf<Config> = Config extends { readonly model: infer Model extends string }
  ? { model: Model }
  : { model?: string };

/** A text among the parts of a message. */
export interface TextPart {
  type: "text";
  text: string;
}

/** The settings that a registry knows; what else stands in a config is the application's own affair. */
interface Settings {
  model?: string;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  stop?: string | string[];
  responseFormat?: string | Record<string, unknown>;
}

export const settingsOf = (config: object): Settings => config;

/** Without the fields that are undefined: SDKs send some of them as null. */
export const defined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

export const listOf = (one: string | string[] | undefined): string[] | undefined =>
  typeof one === "string" ? [one] : one;

/** A message as an adapter reads it: those of a caller may be of any form. */
export interface AnyMessage {
  role?: unknown;
  content?: unknown;
  /** What a model said in place of an answer. */
  refusal?: string | null;
  name?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  /** Of the AI SDK. */
  providerOptions?: object;
}

export type AnyPart = { type: string; text?: string; refusal?: string; image_url?: string | Image };

/** How closely a model is to look at an image. */
export type Detail = "low" | "high" | "auto";

/** An image by its address: on the web, or its bytes as a `data:` address. */
export interface Image {
  url: string;
  detail?: Detail;
}

/** The parts of a message, of which a refusal is a text as any other; empty texts, which no SDK takes, are none. */
export function partsOf({ content, refusal }: AnyMessage): AnyPart[] {
  const text = typeof content === "string" ? content : "";
  const parts: AnyPart[] = Array.isArray(content) ? content : [{ type: "text", text }];
  return [...parts, { type: "refusal", refusal: refusal ?? "" }]
    .map((part) => (part.type === "refusal" ? { type: "text", text: part.refusal ?? "" } : part))
    .filter(({ type, text }) => type !== "text" || text !== "");
}

/** The texts among parts as one. */
export const textOf = (parts: readonly AnyPart[]): string => parts.map(({ text }) => text ?? "").join("");

/** Parts as one text, where they are nothing else. */
export const plainOf = (parts: readonly AnyPart[]): string | undefined =>
  parts.every(({ text }) => text !== undefined) ? textOf(parts) : undefined;

export const imageOf = ({ type, image_url: image }: AnyPart): Image | undefined =>
  type !== "image_url" ? undefined : typeof image === "string" ? { url: image } : image;

/** The bytes of an image, in base64; undefined for one on the web. */
export function bytesOf({ url }: Image): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

export const isSystem = ({ role }: AnyMessage): boolean => role === "system" || role === "developer";

/** @throws {TypeError} for arguments that a model left broken, and that no other one takes. */
export function argumentsOf({ name, arguments: text }: { name: string; arguments: string }): object {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new TypeError(`The arguments of a call of ${name} are not JSON.`);
  }
}

/** @throws {TypeError} for an answer of a tool that does not say which call it is for. */
export function callIdOf({ tool_call_id: id }: AnyMessage): string {
  if (typeof id === "string") return id;
  throw new TypeError("A message of a tool needs tool_call_id, the id of the call that it answers.");
}

/** A function that a model can call, and the JSON Schema of what it takes. */
export interface FunctionTool {
  name: string;
  description?: string;
  parameters: { type: "object"; [key: string]: unknown };
  strict?: boolean;
}

/** A tool as a function, in whichever SDK's form CHAT.json has it; undefined for those that a provider runs itself. */
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

/** What `map` makes of the functions among tools, and the others as they are; undefined where there are none. */
export function mapTools<T>(tools: readonly object[], map: (tool: FunctionTool) => T): T[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map((tool) => {
    const known = functionOf(tool);
    return known === undefined ? (tool as T) : map(known);
  });
}
