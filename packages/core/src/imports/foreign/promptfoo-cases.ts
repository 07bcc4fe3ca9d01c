import { readJson, readYamlFile } from "../../groups/prompts/plain-data.ts";
import type { Json } from "../../template/variable.ts";
import { ImportError } from "../detector.ts";
import { isObject, textIn, type Values } from "./values.ts";

/** A case of a dataset, as a test of promptfoo says it. */
export interface PromptfooCase {
  key?: string;
  variables: Record<string, Json>;
  assertions?: { type: string; value?: Json; threshold?: number; weight?: number }[];
}

/**
 * The tests of a configuration of promptfoo, https://www.promptfoo.dev/docs/configuration/guide, as cases of a dataset. What needs a file or
 * a program is left out, and a sentence says how much.
 * @throws {ImportError} if it is broken, or has no tests of its own.
 */
export function readPromptfooCases(
  path: string,
  text: string,
): { cases: PromptfooCase[]; warnings: string[] } {
  const file = /\.json$/i.test(path) ? readJson(text) : readYamlFile(text);
  if ("problem" in file) throw new ImportError(`The file ${file.problem}.`);
  const { tests, defaultTest } = isObject(file.value) ? file.value : ({} as Values);
  if (typeof tests === "string") throw new ImportError(`Its tests are in ${tests}. Import that file.`);
  if (!Array.isArray(tests)) throw new ImportError("It has no tests.");
  const common = isObject(defaultTest) ? defaultTest : {};
  let [elsewhere, dropped] = [0, 0];
  const seen = new Set<string>();
  const cases = tests.flatMap((test: unknown): PromptfooCase[] => {
    const variables = isObject(test)
      ? plainValues({ ...fieldsOf(common["vars"]), ...fieldsOf(test["vars"]) })
      : null;
    if (!isObject(test) || variables === null) {
      elsewhere += 1;
      return [];
    }
    const all = [common["assert"], test["assert"]].flatMap((list) => (Array.isArray(list) ? list : []));
    const assertions = all.flatMap(readAssertion);
    dropped += all.length - assertions.length;
    const key = textIn(test["description"])?.slice(0, 200);
    // Two tests can be called the same, two cases cannot.
    const isNew = key !== undefined && !seen.has(key);
    if (isNew) seen.add(key);
    return [{ ...(isNew && { key }), variables, ...(assertions.length > 0 && { assertions }) }];
  });
  const warnings = [
    ...(elsewhere > 0
      ? [`${elsewhere} tests are left out: their values are in files, or are lists of several.`]
      : []),
    ...(dropped > 0 ? [`${dropped} assertions are left out: they are in files, or are sets of others.`] : []),
  ];
  return { cases, warnings };
}

const fieldsOf = (value: unknown): Values => (isObject(value) ? value : {});

const isElsewhere = (value: unknown) =>
  typeof value === "string" && /^(?:file|https?|package|exec|huggingface):/.test(value);

/** promptfoo makes a test of each item of a list. */
const plainValues = (values: Values): Record<string, Json> | null =>
  Object.values(values).some((value) => Array.isArray(value) || isElsewhere(value))
    ? null
    : (values as Record<string, Json>);

function readAssertion(value: unknown): NonNullable<PromptfooCase["assertions"]> {
  if (!isObject(value)) return [];
  const { type, value: wanted, threshold, weight, assert } = value;
  if (typeof type !== "string" || assert !== undefined || isElsewhere(wanted)) return [];
  return [
    {
      type,
      ...(wanted !== undefined && { value: wanted as Json }),
      ...(typeof threshold === "number" && { threshold }),
      ...(typeof weight === "number" && { weight }),
    },
  ];
}
