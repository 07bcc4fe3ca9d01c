import { listed } from "../../template/variable.ts";
import { type Found, ImportError, type TextDetector } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { isMessages, readMessages } from "../foreign/messages.ts";
import { isObject, parseJson, textIn, textsIn, type Values } from "../foreign/values.ts";

/** A prompt as Langfuse's API gives or takes it, or a list of such. */
export const langfuse: TextDetector = {
  name: "langfuse",
  title: "Langfuse prompt",
  documentation: "https://langfuse.com/docs/prompt-management/data-model",
  confidence: 0.95,
  takes: (path) => path.endsWith(".json"),
  read({ text }) {
    const value = parseJson(text, '"prompt"');
    const list = Array.isArray(value)
      ? value
      : isObject(value) && Array.isArray(value["data"])
        ? value["data"]
        : [value];
    if (!list.every(isPrompt)) return [];
    return list.map((prompt) => found(prompt, list.length > 1));
  },
};

/** Others have a name and a prompt as well, and something else beside them. */
const keys = new Set(
  "id name prompt type version config labels tags commitMessage createdAt updatedAt createdBy projectId isActive resolutionGraph".split(
    " ",
  ),
);

const isPrompt = (value: unknown): value is Values =>
  isObject(value) &&
  Object.keys(value).every((key) => keys.has(key)) &&
  textIn(value["name"]) !== null &&
  (typeof value["prompt"] === "string" || isMessages(value["prompt"]));

function found(prompt: Values, isOneOfSeveral: boolean): Found {
  const { name, version } = prompt as { name: string; version?: unknown };
  const part = typeof version === "number" ? `${name} v${version}` : name;
  try {
    return { ...draft(prompt, name), part: isOneOfSeveral ? part : null };
  } catch (error) {
    if (error instanceof ImportError && isOneOfSeveral) return new ImportError(error.message, part);
    throw error;
  }
}

function draft({ prompt, config, tags, labels, version }: Values, name: string) {
  const given = textsIn(labels).filter((label) => label !== "latest");
  const isText = typeof prompt === "string";
  const refers = JSON.stringify(prompt).includes("@@@langfusePrompt:");
  return draftOf({
    name,
    tags: textsIn(tags),
    items: isText ? [{ role: "user", content: prompt }] : readMessages(prompt as Values[]),
    syntax: "mustache",
    settings: config,
    warnings: [
      ...(given.length === 0
        ? []
        : [
            `In Langfuse these labels point to ${typeof version === "number" ? `version ${version}` : "it"}: ${listed(given)}.`,
          ]),
      ...(refers
        ? ["It includes other prompts of Langfuse by @@@langfusePrompt. They stay as they are written."]
        : []),
    ],
  });
}
