import { readTemplate } from "../template/render.ts";
import type { Json } from "../template/variable.ts";
import type { Format } from "./format.ts";
import { omittedPlaceholders, plainItems, writeTemplate } from "./messages.ts";
import { omittedDefaults, omittedSettings } from "./omitted.ts";
import { describe } from "./text.ts";
import { yamlFile } from "./yaml.ts";

/** A prompt file of GitHub Models. It fills in `{{name}}` and nothing else, and has no escape. */
export const githubModels: Format = {
  reads: "entry",
  showsCases: true,
  write(prompt) {
    const { slug, cases, version } = prompt;
    const { keeps, ...settings } = settingsOf(version.config);
    const names = new Set(version.variables.map(({ name }) => name));
    const taken = new Set<string>();
    const escape = (literal: string) => {
      for (const [, name = ""] of literal.matchAll(/\{\{\s*(\w+)\s*\}\}/g))
        if (names.has(name)) taken.add(name);
      return literal;
    };
    const messages = plainItems(prompt, "github-models").flatMap((item) =>
      "placeholder" in item
        ? []
        : [
            {
              role: item.role,
              content: writeTemplate(readTemplate(item.text), (name) => `{{${name}}}`, escape),
            },
          ],
    );
    const file = {
      name: slug,
      description: describe(prompt, 1024),
      ...settings,
      messages,
      ...(cases.length === 0
        ? {}
        : {
            testData: cases.map(({ variables, expected }) => ({
              ...variables,
              ...(expected === null ? {} : { expected }),
            })),
          }),
    };
    return {
      files: [yamlFile(`${slug}.prompt.yml`, file)],
      warnings: [
        ...omittedPlaceholders(prompt),
        ...omittedDefaults(prompt, "GitHub Models"),
        ...omittedSettings(prompt, "GitHub Models", keeps),
        ...[...taken].map((name) => `GitHub Models fills in the {{${name}}} that is escaped here.`),
      ],
    };
  },
};

function settingsOf({ model, temperature, topP, maxTokens, responseFormat }: Readonly<Record<string, Json>>) {
  const parameters = Object.entries({ temperature, topP, maxTokens }).filter(
    ([, value]) => value !== undefined,
  );
  const format = formatOf(responseFormat);
  return {
    keeps: ["model", "temperature", "topP", "maxTokens", ...(format === undefined ? [] : ["responseFormat"])],
    model,
    ...(parameters.length === 0 ? {} : { modelParameters: Object.fromEntries(parameters) }),
    ...format,
  };
}

/** GitHub Models reads no file with another format of responses, or with a schema that has no name. */
function formatOf(format: Json | undefined): { responseFormat: string; jsonSchema?: string } | undefined {
  const { type = format, json_schema: schema } = Object(format) as Record<string, Json | undefined>;
  if (type === "text" || type === "json_object") return { responseFormat: type };
  const { name, schema: shape } = Object(schema) as Record<string, Json | undefined>;
  const isWhole = type === "json_schema" && name !== undefined && shape !== undefined;
  return isWhole ? { responseFormat: type, jsonSchema: JSON.stringify(schema) } : undefined;
}
