import type { ResolvedPrompt } from "./resolved.ts";

/** Attributes of a span, as OpenTelemetry takes them. */
export interface PromptAttributes {
  /** `owner/slug`. */
  "gen_ai.prompt.name": string;
  /** The number of the version. Absent for a fallback. */
  "gen_ai.prompt.version"?: string;
  /** The label that was asked for. Absent for a version that was asked for by its number. */
  "promptreg.prompt.label"?: string;
  /** From where it was served. */
  "promptreg.prompt.source": string;
}

/**
 * What a span of your application says about the prompt that it used, so that a generation leads to the version that made it:
 * `span.setAttributes(promptAttributes(prompt))`. The names are those of OpenTelemetry's conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/), and `promptreg.*` where it has none. They contain no text of the prompt.
 */
export const promptAttributes = ({
  ref,
  version,
  label,
  source,
}: Pick<ResolvedPrompt, "ref" | "version" | "label" | "source">): PromptAttributes => ({
  "gen_ai.prompt.name": ref,
  ...(version !== null && { "gen_ai.prompt.version": String(version) }),
  ...(label !== null && { "promptreg.prompt.label": label }),
  "promptreg.prompt.source": source,
});
