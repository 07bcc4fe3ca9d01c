import { readTemplate } from "../template/render.ts";
import type { Json } from "../template/variable.ts";
import type { Format } from "./format.ts";
import { omittedPlaceholders, plainItems, writeTemplate } from "./messages.ts";
import { describe } from "./text.ts";
import { yamlFile } from "./yaml.ts";

/** A prompt file of GitHub Models. It fills in `{{name}}` and nothing else, and has no escape. */
export const githubModels: Format = {
  reads: "entry",
  showsCases: true,
  write(prompt) {
    const { slug, cases, version } = prompt;
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
      ...settingsOf(version.config),
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
        ...[...taken].map((name) => `GitHub Models fills in the {{${name}}} that is escaped here.`),
      ],
    };
  },
};

function settingsOf({ model, temperature, topP, maxTokens, responseFormat }: Readonly<Record<string, Json>>) {
  const { type, json_schema: schema } = Object(responseFormat) as Record<string, Json | undefined>;
  const parameters = Object.entries({ temperature, topP, maxTokens }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...(typeof model === "string" ? { model } : {}),
    ...(parameters.length === 0 ? {} : { modelParameters: Object.fromEntries(parameters) }),
    ...(responseFormat === undefined ? {} : { responseFormat: type ?? responseFormat }),
    ...(schema === undefined ? {} : { jsonSchema: JSON.stringify(schema) }),
  };
}
