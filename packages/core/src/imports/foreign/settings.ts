import { Config } from "../../content/entry-schemas.ts";
import { listed } from "../../template/variable.ts";
import { isObject, type Values } from "./values.ts";

/** What other tools call our settings. */
const ourNames = new Map(
  Object.entries({
    max_tokens: "maxTokens",
    max_completion_tokens: "maxTokens",
    max_output_tokens: "maxTokens",
    maxOutputTokens: "maxTokens",
    top_p: "topP",
    stop_sequences: "stop",
    stopSequences: "stop",
    response_format: "responseFormat",
  }),
);

/** Settings beside which requests and providers have others, such as keys and addresses. */
const known = new Set([
  "model",
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "response_format",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "reasoning_effort",
]);

/** The settings of a model among other values. */
export const settingsIn = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)));

/** The settings of a model under our names. Others stay as they are; what our names cannot mean is left out, with a warning. */
export function readSettings(given: unknown): { config: Values; warnings: string[] } {
  const config = new Map<string, unknown>();
  const omitted: string[] = [];
  for (const [name, value] of isObject(given) ? Object.entries(given) : []) {
    if (value === null || value === undefined) continue;
    const ours = ourNames.get(name) ?? name;
    if (config.has(ours) || !mayBe(ours, value)) omitted.push(name);
    else config.set(ours, value);
  }
  return {
    config: Object.fromEntries(config),
    warnings: omitted.length === 0 ? [] : [`These settings of the model are left out: ${listed(omitted)}.`],
  };
}

/** A value such as `${env:MODEL}` means something on one machine alone. */
const mayBe = (name: string, value: unknown): boolean =>
  !(typeof value === "string" && value.includes("${")) && Config.safeParse({ [name]: value }).success;
