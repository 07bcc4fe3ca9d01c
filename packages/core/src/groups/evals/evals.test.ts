import { expect, test } from "vitest";
import { findUnknownAssertions, warnOfAssertions } from "./assertions.ts";
import { evalNotifications } from "./notifications.ts";

test.each([
  [9, '"x8". It knows'],
  [10, '"x9". It knows'],
  [11, '"x9" and others. It knows'],
  [12, '"x9" and others. It knows'],
])("of %i unknown types of assertions ten are named", (count, end) => {
  const unknown = new Set<string>();
  const assertions = Array.from({ length: count }, (_, nth) => ({ type: `x${nth}` }));
  findUnknownAssertions({ assertions: [...assertions, { type: "not-equals" }] }, unknown);
  expect(warnOfAssertions(unknown)).toEqual([expect.stringContaining(end)]);
});

test("the assertions of promptfoo that registries know are these, and each turned round", () => {
  const types = [
    ..."equals contains icontains regex is-json contains-json javascript llm-rubric".split(" "),
    ..."similar latency cost not-equals not-cost".split(" "),
  ];
  const unknown = new Set<string>();
  findUnknownAssertions({ assertions: types.map((type) => ({ type })) }, unknown);
  expect([...unknown]).toEqual([]);
});

test.each([
  ["", "With gpt-5."],
  ["timed_out", "With gpt-5: timed_out"],
])("evals that broke off say why, if it is known: %j", (message, body) => {
  const run = { id: "run_1", versionNumber: 3, model: "gpt-5", error: { message }, url: "https://a.example" };
  const event = { prompt: { ref: "ada/reply" }, run };
  expect(evalNotifications["eval.run.failed"](event as never)).toMatchObject({
    title: "Evals of ada/reply version 3 broke off",
    body,
    target: { type: "run", id: "run_1" },
  });
});

test.each([
  ["pass", "passed its evals"],
  ["fail", "failed its evals"],
  [null, "has no verdict of its evals"],
] as const)("evals that completed say their verdict: %j", (verdict, said) => {
  const summary = { passed: 3, total: 4 };
  const run = { id: "run_1", versionNumber: 3, model: "gpt-5", verdict, summary, url: "https://a.example" };
  const event = { prompt: { ref: "ada/reply" }, run };
  expect(evalNotifications["eval.run.completed"](event as never)).toEqual({
    title: `ada/reply version 3 ${said}`,
    body: "3 of 4 passed with gpt-5.",
    url: "https://a.example",
    target: { type: "run", id: "run_1" },
  });
});
