import { readJson, readYamlFile } from "../../content/plain-data.ts";
import { type Found, type ImportDraft, ImportError, type TextDetector } from "../detector.ts";
import { readPrompts } from "../foreign/promptfoo-prompts.ts";
import { settingsIn } from "../foreign/settings.ts";
import { isObject, prefixOf, type Values } from "../foreign/values.ts";
import type { ForeignVariable } from "../foreign/variables.ts";

/** A configuration can have patterns without end, each of which looks at all files. */
const maxPrompts = 1000;

const config = /(^|\/)promptfooconfig[^/]*\.(ya?ml|json|[cm]?[jt]s)$/i;

/** The prompts of a configuration of promptfoo, and those in the files that it names. */
export const promptfoo: TextDetector = {
  name: "promptfoo",
  title: "promptfoo configuration",
  documentation: "https://www.promptfoo.dev/docs/configuration/prompts/",
  confidence: 0.95,
  claims: true,
  takes: (path) => config.test(path),
  async read({ path, text }, around) {
    if (/s$/i.test(path)) throw new ImportError("It is a program. Only YAML and JSON can be read.");
    const file = /n$/i.test(path) ? readJson(text) : readYamlFile(text);
    if ("problem" in file) throw new ImportError(`The file ${file.problem}.`);
    if (!isObject(file.value)) return [];
    const { prompts, defaultTest, providers = file.value["targets"], tests } = file.value;
    if (prompts === undefined) return [];
    const project = {
      folder: prefixOf(path),
      around,
      variables: variablesOf(defaultTest),
      settings: settingsOf(providers),
      taken: new Set([path]),
    };
    const found: Found[] = [];
    for await (const one of readPrompts(prompts, project)) {
      if (found.length === maxPrompts)
        return [...found, new ImportError(`It has more than ${maxPrompts} prompts.`)];
      found.push(one);
    }
    const first = found.find((one): one is ImportDraft => !(one instanceof ImportError));
    if (first !== undefined && tests !== undefined) first.warnings.push(aboutTests(tests, path));
    return found;
  },
};

/** They are no part of a prompt. Said once, at the first one. */
const aboutTests = (tests: unknown, path: string): string =>
  `${Array.isArray(tests) ? `${tests.length} tests` : "Tests"} of ${path} do not come along. Once the prompt is pushed, they become a dataset: promptreg dataset import <owner/slug> <name> <this file> --create.`;

const variablesOf = (defaultTest: unknown): ForeignVariable[] => {
  const vars = isObject(defaultTest) && isObject(defaultTest["vars"]) ? defaultTest["vars"] : {};
  // promptfoo takes a list for several values, and a file:// for the content of a file.
  const plain = Object.entries(vars).filter(
    ([, value]) => typeof value !== "object" && !(typeof value === "string" && /^\w+:\/\//.test(value)),
  );
  return plain.map(([name, value]) => ({ name, default: value }));
};

/** The model and its settings, if all prompts run on one. */
function settingsOf(providers: unknown): Values {
  const [only, ...others] = [providers].flat();
  if (others.length > 0) return {};
  const { id = only, config: settings } = isObject(only) ? only : ({} as Values);
  if (typeof id !== "string" || /^(file|https?|exec|python|package|golang|webhook|ws)\b/.test(id)) return {};
  return { model: modelOf(id), ...(isObject(settings) ? settingsIn(settings) : {}) };
}

/** `openai:chat:gpt-5` without what tells promptfoo how to call it. */
function modelOf(id: string): string {
  const [, vendor = "", model = ""] =
    /^(openai|anthropic|google)(?::(?:chat|completion|responses|messages))?:(.+)$/.exec(id) ?? [];
  return model === "" ? id : /^(gpt|chatgpt|o\d|claude|gemini)/.test(model) ? model : `${vendor}/${model}`;
}
