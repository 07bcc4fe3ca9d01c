import { readJson, readYamlFile } from "../../content/plain-data.ts";
import { ImportError, type TextDetector } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { isMessages, readMessages } from "../foreign/messages.ts";
import { baseName, isObject, textIn, type Values } from "../foreign/values.ts";

const ending = /\.prompt\.ya?ml$/i;

/** A prompt file of GitHub Models. */
export const githubModels: TextDetector = {
  name: "github-models",
  title: "GitHub Models prompt",
  documentation:
    "https://docs.github.com/github-models/use-github-models/storing-prompts-in-github-repositories",
  confidence: 0.95,
  takes: (path) => ending.test(path),
  read({ path, text }) {
    const file = readYamlFile(text);
    if ("problem" in file) throw new ImportError(`The file ${file.problem}.`);
    const { value } = file;
    if (!isObject(value) || value["messages"] === undefined) return [];
    const { messages, model, modelParameters } = value;
    if (!isMessages(messages)) throw new ImportError("Its messages are no list of roles and contents.");
    const [end = ""] = ending.exec(path) ?? [];
    const omitted = ["testData", "evaluators"].filter((key) => key in value);
    return [
      draftOf({
        name: baseName(path, end),
        title: textIn(value["name"]),
        summary: textIn(value["description"]),
        items: readMessages(messages),
        syntax: null,
        settings: {
          model,
          ...(isObject(modelParameters) ? modelParameters : {}),
          response_format: formatOf(value),
        },
        warnings: omitted.map((key) => `${key} is left out. Cases belong to a dataset.`),
      }),
    ];
  },
};

function formatOf({ responseFormat: type, jsonSchema }: Values): unknown {
  const schema = type === "json_schema" && typeof jsonSchema === "string" ? readJson(jsonSchema) : {};
  return "value" in schema ? { type, json_schema: schema.value } : type;
}
