/** One prompt with all that a chat can hold, handed to each SDK. It type-checks against the SDKs' own declarations. */
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { ChatOpenAI } from "@langchain/openai";
import { generateText } from "ai";
import OpenAI from "openai";
import { generateTextParams } from "@promptreg/client/ai";
import { messageParams } from "@promptreg/client/anthropic";
import { chatModelParams } from "@promptreg/client/langchain";
import { chatCompletionParams, responseParams } from "@promptreg/client/openai";
import type { CompiledPrompt } from "@promptreg/client";

type Prompt = Pick<CompiledPrompt, "messages" | "config" | "tools">;
type Fetch = typeof fetch;

const apiKey = "key";

/** By the SDK, a call of it. Where the config is not known, what an SDK insists on stands before what the prompt says. */
export const calls: Record<string, (prompt: Prompt, fetch: Fetch) => Promise<unknown>> = {
  async "openai, chat"(prompt, fetch) {
    const openai = new OpenAI({ apiKey, fetch });
    const { choices } = await openai.chat.completions.create({
      model: "none",
      ...chatCompletionParams(prompt),
    });
    return choices[0]?.message.content;
  },
  "openai, responses": (prompt, fetch) =>
    new OpenAI({ apiKey, fetch }).responses.create({ model: "none", ...responseParams(prompt) }),
  async anthropic(prompt, fetch) {
    const anthropic = new Anthropic({ apiKey, fetch });
    const { content } = await anthropic.messages.create({
      model: "none",
      max_tokens: 1024,
      ...messageParams(prompt),
    });
    return content;
  },
  ai: (prompt, fetch) =>
    generateText({
      ...generateTextParams(prompt),
      model: createOpenAI({ apiKey, fetch }).chat(String(prompt.config["model"])),
    }),
  langchain(prompt, fetch) {
    const { messages, tools, settings } = chatModelParams(prompt);
    const model = new ChatOpenAI({ model: "none", ...settings, apiKey, configuration: { fetch } });
    return model.bindTools(tools).invoke(messages);
  },
};

/** What is known of a config is known of what comes of it: these need nothing beside the prompt. */
export const known = async (
  prompt: Prompt & { config: { readonly model: string; readonly maxTokens: number } },
) => {
  await new OpenAI().chat.completions.create(chatCompletionParams(prompt));
  await new OpenAI().responses.create(responseParams(prompt));
  await new Anthropic().messages.create(messageParams(prompt));
};

/** And where it is not, what is missing shows. */
export const unknown = async (prompt: Prompt) => {
  // @ts-expect-error There may be no model.
  await new OpenAI().chat.completions.create(chatCompletionParams(prompt));
  // @ts-expect-error There may be no model and no bound.
  await new Anthropic().messages.create(messageParams(prompt));
};
