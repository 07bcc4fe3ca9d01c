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

/** A prompt that is ready to be sent to a model. */
export type CompiledPrompt<
  Message = ChatMessage,
  Config = PromptContent["config"],
> = RenderedVersion<Message> & {
  /** What was compiled, and where it came from. */
  prompt: ResolvedPrompt;
  config: Config;
  /** The tools of a chat prompt, as CHAT.json has them; empty for all others. */
  tools: readonly Tool[];
};

/**
 * Fills a prompt in; a fallback need not use every value.
 * @throws {RenderError} `missing_variables`, unless `strict` is false, for what is missing, unknown or does not fit.
 */
export function compile<Message>(
  prompt: ResolvedPrompt,
  values: Values | undefined,
  options: RenderVersionOptions<Message>,
): CompiledPrompt<Message> {
  // What stands in for a prompt may do with fewer values than that.
  const isFallback = prompt.source === "fallback";
  const rendered = renderVersion(
    prompt.content,
    values,
    isFallback ? { ...options, strict: false } : options,
  );
  const { missing } = rendered;
  if (isFallback && options.strict !== false && missing.length > 0) {
    const message = `The fallback of ${prompt.ref} needs ${missing.join(", ")} too.`;
    throw new RenderError("missing_variables", message, { missing, unknown: [], invalid: [] });
  }
  return { ...rendered, prompt, config: prompt.config, tools: prompt.tools };
}
