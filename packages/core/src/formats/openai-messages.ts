import type { Format } from "./format.ts";
import { asTemplates, isPlaceholder, omittedPlaceholders } from "./messages.ts";
import { omittedDefaults, omittedSettings } from "./omitted.ts";
import { jsonFile } from "./text.ts";

const keeps = ["model", "temperature", "topP", "maxTokens", "stop", "responseFormat"];

/** Messages and settings as the API of OpenAI and those like it take them. Variables stay `{{name}}`. */
export const openaiMessages: Format = {
  reads: "entry",
  write(prompt) {
    const { slug, data, version } = prompt;
    const { model, temperature, topP, maxTokens, stop, responseFormat: format } = version.config;
    const request = {
      messages: asTemplates(prompt).filter((item) => !isPlaceholder(item)),
      tools: data["tools"],
      model,
      temperature,
      top_p: topP,
      max_tokens: maxTokens,
      stop,
      response_format: typeof format === "string" ? { type: format } : format,
    };
    return {
      files: [jsonFile(`${slug}.json`, request)],
      warnings: [
        ...omittedPlaceholders(prompt),
        ...omittedDefaults(prompt, "OpenAI's API"),
        ...omittedSettings(prompt, "OpenAI's API", keeps),
      ],
    };
  },
};
