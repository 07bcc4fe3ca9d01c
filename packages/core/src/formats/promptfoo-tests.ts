import { type Json, printValue } from "../template/variable.ts";
import type { FormatAssertion, FormatCase } from "./format.ts";

/** The assertions that read an output and run nothing. What others do on the machine of a reader is not known. */
const types =
  "equals contains icontains regex starts-with contains-all contains-any icontains-all icontains-any is-json " +
  "contains-json llm-rubric similar latency cost";
const readers = new Set(types.split(" ").flatMap((type) => [type, `not-${type}`]));

/** The tests that promptfoo makes of cases, and what they lose. */
export function writeTests(cases: readonly FormatCase[]): { tests: object[]; warnings: string[] } {
  const kept = cases.filter(
    ({ key = null, variables, expected }) =>
      isHarmless([key, ...Object.values(variables)]) && isHarmlessJson(expected),
  );
  let lost = 0;
  const tests = kept.map((one) => {
    const assertions = one.assertions?.filter(isReader) ?? [];
    lost += (one.assertions?.length ?? 0) - assertions.length;
    return toTest(one, assertions);
  });
  const unused = kept.filter(
    ({ expected, assertions = [] }) => expected !== null && assertions.some(isReader),
  );
  const weighted = kept.filter(({ weight = 1 }) => weight !== 1);
  return {
    tests,
    warnings: [
      ...leftOut(cases.length - kept.length, "cases"),
      ...(lost === 0
        ? []
        : [`${lost} assertions are left out: promptfoo could run or follow what they hold.`]),
      ...(unused.length === 0
        ? []
        : [`What ${unused.length} cases expect is left out: they have assertions.`]),
      ...(weighted.length === 0
        ? []
        : [`The weights of ${weighted.length} cases are left out: promptfoo counts tests alike.`]),
    ],
  };
}

export const leftOut = (count: number, what: string): string[] =>
  count === 0
    ? []
    : [`${count} ${what} are left out: promptfoo would take their values for templates or files.`];

/**
 * A list makes one test of each item, and other values than texts may be files: both are printed. The results of a test have its
 * description, by which a report finds the case.
 */
function toTest({ key, variables, expected }: FormatCase, assertions: readonly FormatAssertion[]): object {
  const assert =
    assertions.length > 0 || expected === null ? assertions : [{ type: "equals", value: expected }];
  return {
    ...(key === undefined ? {} : { description: key }),
    vars: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, printValue("text", value)]),
    ),
    ...(assert.length === 0 ? {} : { assert: assert.map(withoutNulls) }),
  };
}

const withoutNulls = ({ type, value, threshold, weight }: FormatAssertion) => ({
  type,
  ...(value === undefined ? {} : { value }),
  ...(typeof threshold === "number" ? { threshold } : {}),
  ...(typeof weight === "number" ? { weight } : {}),
});

/** What promptfoo reads or runs at the beginning of a value, and the marks that it fills in. */
const followed = /^\s*[a-z]+:\/\/|^\s*package:|\{[{%#]|#\}/i;

export const isHarmless = (values: readonly Json[]): boolean =>
  values.every((value) => !followed.test(printValue("text", value) ?? ""));

/** Of what stays JSON promptfoo looks at each text, and fills in the file that a `$ref` names. */
const isHarmlessJson = (value: Json): boolean =>
  typeof value === "object" && value !== null
    ? Object.entries(value).every(
        ([name, one]) => name !== "$ref" && isHarmless([name]) && isHarmlessJson(one),
      )
    : isHarmless([value]);

const isReader = ({ type, value = null }: FormatAssertion): boolean =>
  readers.has(type) && isHarmlessJson(value);
