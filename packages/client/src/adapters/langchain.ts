/** What a prompt gives, as LangChain's chat models take it. */
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

/** A message that LangChain makes one of its own classes of. */
export type MessageLike = {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content: string | { type: string; [key: string]: unknown }[];
  name?: string;
} & Record<string, unknown>;

/** What LangChain takes of a prompt. */
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
  // Models of one provider read the one, those of another the other, and OpenAI's either.
  const stops = listOf(stop);
  return {
    messages: (messages as AnyMessage[]).map(withContent) as MessageLike[],
    tools: mapTools(tools, (tool) => ({ type: "function", function: tool })) ?? [],
    settings: defined({
      model,
      temperature,
      topP,
      maxTokens,
      stop: stops,
      stopSequences: stops,
    }) as never,
  };
}

/** What only calls tools has an empty text there: of none LangChain makes an empty list, which no model takes. */
const withContent = (message: AnyMessage): AnyMessage =>
  message.role === "assistant" ? { ...message, content: message.content ?? "" } : message;
