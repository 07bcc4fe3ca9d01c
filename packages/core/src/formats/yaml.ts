import { stringify } from "yaml";
import { textFile } from "./text.ts";

/** Characters that some parsers of YAML refuse, or take for line breaks, if they are not escaped. */
const unprintable = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/;

/** To print more as YAML would keep others waiting: it takes 70 times as long as JSON. */
const maxYaml = 256 * 1024;

/** YAML as a file, the same for parsers of YAML 1.1 and 1.2. Special characters or length make it JSON, which is YAML too. */
export function yamlFile(path: string, value: unknown) {
  const json = JSON.stringify(value, null, 2);
  if (json.length <= maxYaml && !unprintable.test(json) && !/\\[bfru]/.test(json)) {
    return { path, mode: "100644" as const, content: stringify(value, { lineWidth: 0, compat: "yaml-1.1" }) };
  }
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return textFile(path, json.replace(new RegExp(unprintable, "g"), escape));
}
