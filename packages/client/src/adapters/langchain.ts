/** Parameters for LangChain's chat models. */
import {
  type AnyMessage,
  type Compiled,
  defined,
  type FunctionTool,
  listOf,
  mapTools,
  type ModelOf,
  settingsOf,
} from "./compiled.ts";

/** A message that LangChain converts to one of its own classes. */
export type MessageLike = {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content: string | { type: string; [key: string]: unknown }[];
  name?: string;
} & Record<string, unknown>;

/** The parameters of LangChain that a prompt sets. */
export interface ChatModelParams<Config = object> {
  /** For `model.invoke(messages)`. */
  messages: MessageLike[];
  /** For `model.bindTools(tools)`. */
  tools: { type: "function"; function: FunctionTool }[];
  /** For the constructor of a model, or `initChatModel`. */
  settings: ModelOf<Config> & {
    temperature?: number;
    topP?: number;
    maxTokens?: number;
    stop?: string[];
    stopSequences?: string[];
  };
}

/**
 * For LangChain's chat models: `new ChatOpenAI(settings).bindTools(tools).invoke(messages)`. `responseFormat` is left out, since
 * it is `withStructuredOutput` there.
 */
export function chatModelParams<Config extends object>({
  messages,
  config,
  tools,
}: Compiled<Config>): ChatModelParams<Config> {
  const { model, temperature, topP, maxTokens, stop } = settingsOf(config);
  // Providers differ: some read `stop`, some `stopSequences`, and OpenAI either.
  const stops = listOf(stop);
  return defined({
    messages: (messages as AnyMessage[]).map(withContent) as MessageLike[],
    tools: mapTools(tools, (tool) => ({ type: "function", function: tool })) ?? [],
    settings: defined({
      model,
      temperature,
      topP,
      maxTokens,
      stop: stops,
      stopSequences: stops,
    }),
  }) as never;
}

/** A message that only calls tools gets an empty text. Without it LangChain sends an empty list, which no model accepts. */
const withContent = (message: AnyMessage): AnyMessage =>
  message.role === "assistant" ? { ...message, content: message.content ?? "" } : message;
