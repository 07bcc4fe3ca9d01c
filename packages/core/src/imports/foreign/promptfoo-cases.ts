import { readJson, readYamlFile } from "../../content/plain-data.ts";
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
    const isHere =
      isObject(test) && [common["vars"], test["vars"]].every((vars) => vars === undefined || isObject(vars));
    const values = isHere ? valuesOf({ ...fieldsOf(common["vars"]), ...fieldsOf(test["vars"]) }) : [];
    if (!isHere || values.length === 0) {
      elsewhere += 1;
      return [];
    }
    const all = [common["assert"], test["assert"]].flatMap((list) => (Array.isArray(list) ? list : []));
    const assertions = all.flatMap(readAssertion);
    dropped += all.length - assertions.length;
    const name = textIn(test["description"])
      ?.slice(0, 190)
      .replace(/[\uD800-\uDBFF]$/, "");
    return values.map((variables, index) => {
      const key = name && (index === 0 ? name : `${name} (${index + 1})`);
      // Two tests can be called the same, two cases cannot.
      const isNew = key && !seen.has(key);
      if (isNew) seen.add(key);
      return { ...(isNew && { key }), variables, ...(assertions.length > 0 && { assertions }) };
    });
  });
  const warnings = [
    ...(elsewhere > 0
      ? [`Tests left out: ${elsewhere}. Their values are in files, or are more than 1,000 combinations.`]
      : []),
    ...(dropped > 0 ? [`Assertions left out: ${dropped}. They are in files, or are sets of others.`] : []),
  ];
  return { cases, warnings };
}

const fieldsOf = (value: unknown): Values => (isObject(value) ? value : {});

const isElsewhere = (value: unknown) =>
  typeof value === "string" && /^(?:file|https?|package|exec|huggingface):/.test(value);

/** One test can stand for no more, and its lists cannot grow over this. */
const maxOfTest = 1_000;

/** promptfoo makes a test of each item of a list, and of several lists one of each combination. None if a value is in a file. */
function valuesOf(values: Values): Record<string, Json>[] {
  let all: Record<string, Json>[] = [{}];
  for (const [name, value] of Object.entries(values)) {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    if (items.some(isElsewhere) || all.length * items.length > maxOfTest) return [];
    all = all.flatMap((one) => items.map((item) => ({ ...one, [name]: item as Json })));
  }
  return all;
}

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
