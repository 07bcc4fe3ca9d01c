import type { Format } from "./format.ts";
import { jsonFile } from "./text.ts";

/** Messages and settings as the API of OpenAI and those like it take them. Variables stay `{{name}}`. */
export const openaiMessages: Format = {
  reads: "entry",
  write({ slug, messages, version: { config } }) {
    const { model, temperature, topP, maxTokens } = config;
    const settings = { model, temperature, top_p: topP, max_tokens: maxTokens };
    return { files: [jsonFile(`${slug}.json`, { messages, ...settings })] };
  },
};
