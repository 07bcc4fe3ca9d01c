import { type Draft, jsonReader, refuse } from "./reader.ts";
import { has } from "./shape.ts";
import { nameFiles } from "./test-files.ts";
import {
  assertionOf,
  caseKeyOf,
  countOf,
  type Fields,
  fieldsOf,
  fit,
  isFields,
  listOf,
  textOf,
} from "./values.ts";

/** Those that are no error: `todo`, `skipped`, and Jest's `pending` and `disabled` are not run. */
const statuses: ReadonlyMap<unknown, Draft["status"]> = new Map([
  ["passed", "passed"],
  ["failed", "failed"],
  ...["skipped", "pending", "disabled", "todo"].map((name) => [name, "skipped"] as const),
]);

/** Results as `vitest --reporter=json` writes them, and `jest --json`. A file of tests is one value. */
export const vitest = jsonReader({
  name: "Vitest or Jest JSON",
  tool: "vitest",
  recognises: (shape) => has(shape, "$.numTotalTests", "$.testResults"),
  wanted: ["$.testResults[]"],
  async begin(_, cuts) {
    const paths: string[] = [];
    for await (const { value } of cuts(["$.testResults[].name"])) paths.push(textOf(value) ?? unnamed);
    const nameOf = nameFiles(paths);
    return {
      *take({ value, line }) {
        if (!isFields(value)) throw refuse(line, "this is not a file of tests.");
        const file = nameOf(textOf(value.name) ?? unnamed);
        const tests = listOf(value.assertionResults);
        const place = `line ${line}`;
        for (const test of tests) yield { place, result: resultOf(file, fieldsOf(test)) };
        const isTold = tests.some((test) => fieldsOf(test).status === "failed");
        if (isTold || value.status !== "failed") return;
        // The file itself broke: it could not be loaded, or something before or after its tests failed.
        yield {
          place,
          result: fit({ caseKey: caseKeyOf(file), status: "errored", error: textOf(value.message) }),
        };
      },
    };
  },
});

const unnamed = "tests";

function resultOf(file: string, { ancestorTitles, title, status, duration, failureMessages }: Fields): Draft {
  const names = [...listOf(ancestorTitles), title].map((name) => textOf(name));
  return fit({
    caseKey: caseKeyOf([file, ...names].filter((name) => name !== undefined).join(" > ")),
    status: statuses.get(status) ?? "errored",
    latencyMs: countOf(duration),
    assertions: listOf(failureMessages).map((reason) => assertionOf("test", false, { reason })),
  });
}
