import {
  type ChatMessage,
  RenderError,
  type RenderedVersion,
  type RenderVersionOptions,
  renderVersion,
  type Values,
} from "@promptreg/core/template";
import type { PromptContent } from "./content.ts";
import type { ResolvedPrompt, Tool } from "./resolved.ts";

/** A prompt that is ready for a model. */
export type CompiledPrompt<
  Message = ChatMessage,
  Config = PromptContent["config"],
> = RenderedVersion<Message> & {
  /** The prompt that was compiled, and its source. */
  prompt: ResolvedPrompt;
  config: Config;
  /** The tools of a chat prompt, as in CHAT.json; empty for all others. */
  tools: readonly Tool[];
};

/**
 * Fills in a prompt. A fallback need not use every value.
 * @throws {RenderError} `missing_variables`, `unknown_variables` or `invalid_values`, unless `strict` is false.
 */
export function compile<Message>(
  prompt: ResolvedPrompt,
  values: Values | undefined,
  options: RenderVersionOptions<Message>,
): CompiledPrompt<Message> {
  // A fallback may use fewer values than the prompt that it replaces.
  const isFallback = prompt.source === "fallback";
  const rendered = renderVersion(
    prompt.content,
    values,
    isFallback ? { ...options, strict: false } : options,
  );
  const { missing } = rendered;
  if (isFallback && options.strict !== false && missing.length > 0) {
    const message = `The fallback of ${prompt.ref} also needs ${missing.join(", ")}.`;
    throw new RenderError("missing_variables", message, { missing, unknown: [], invalid: [] });
  }
  return { ...rendered, prompt, config: prompt.config, tools: prompt.tools };
}
