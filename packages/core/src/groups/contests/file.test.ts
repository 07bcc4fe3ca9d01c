import { expect, test } from "vitest";
import { ContestFile } from "./file.ts";

const at = (day: number) => `2030-01-0${day}T00:00:00Z`;
const contest = {
  slug: "spring",
  title: "Spring",
  opensAt: at(1),
  entriesCloseAt: at(2),
  votingClosesAt: at(3),
  judgingClosesAt: at(4),
};

test.each([
  ["a", true],
  ["a-1_b", true],
  ["a".repeat(32), true],
  ["", false],
  ["1a", false],
  ["A", false],
  ["a b", false],
  [" a", false],
  ["a ", false],
  ["a".repeat(33), false],
])("the key of a criterion is a word: %j", (key, isValid) => {
  const criteria = [{ key, label: "Idea", weight: 1 }];
  expect(ContestFile.safeParse({ ...contest, criteria }).success).toBe(isValid);
});

const named = (count: number) => Array.from({ length: count }, (_, nth) => `n-${nth}`);
const criterion = { key: "a", label: "Idea", weight: 1 };
const criteriaOf = (about: object) => ({ criteria: [{ ...criterion, ...about }] });

test.each([
  [{ title: "x".repeat(120) }, { title: "x".repeat(121) }],
  [{ title: "x" }, { title: "" }],
  [{ rules: "x".repeat(20_000) }, { prizes: "x".repeat(20_001) }],
  [{ accepts: ["make"] }, { accepts: [] }],
  [{ accepts: ["make", "prompt"] }, { accepts: ["make", "make"] }],
  [{ kinds: ["text"] }, { kinds: [] }],
  [{ kinds: null }, { kinds: ["text", "text"] }],
  [
    { judges: named(50), criteria: [criterion] },
    { judges: named(51), criteria: [criterion] },
  ],
  [{ criteria: named(20).map((key) => ({ ...criterion, key })) }, { criteria: [criterion, criterion] }],
  [criteriaOf({ label: "x".repeat(120) }), criteriaOf({ label: "x".repeat(121) })],
  [criteriaOf({ label: "x" }), criteriaOf({ label: "" })],
  [criteriaOf({ weight: 1_000 }), criteriaOf({ weight: 1_000.5 })],
  [{ votesPerUser: 1 }, { votesPerUser: 0 }],
  [{ entriesPerUser: 1 }, { entriesPerUser: 0 }],
  [{ judgeWeight: 0 }, { judgeWeight: -0.1 }],
  [{ judgeWeight: 1 }, { judgeWeight: 1.5 }],
])("a contest can have %j, and not %j", (most, tooMuch) => {
  const isValid = (about: object) => ContestFile.safeParse({ ...contest, ...about }).success;
  expect([isValid(most), isValid(tooMuch)]).toEqual([true, false]);
});

test("what a contest does not say is as in most", () => {
  expect(ContestFile.parse(contest)).toMatchObject({
    accepts: ["prompt", "make"],
    kinds: null,
    votesPerUser: 3,
    entriesPerUser: 1,
  });
});

test("a contest's times may be the same, and none is before the one above it", () => {
  expect(ContestFile.safeParse({ ...contest, votingClosesAt: at(2), judgingClosesAt: at(2) }).success).toBe(
    true,
  );
  expect(ContestFile.safeParse({ ...contest, votingClosesAt: at(1) }).error?.issues).toMatchObject([
    { path: ["votingClosesAt"], message: "must not be before entriesCloseAt" },
  ]);
});

test("judges need criteria, and where nobody judges votes are all that there is", () => {
  const judges = ["ada"];
  expect(ContestFile.safeParse({ ...contest, judges }).error?.issues).toMatchObject([{ path: ["criteria"] }]);
  const criteria = [{ key: "a", label: "Idea", weight: 1 }];
  expect(ContestFile.parse(contest).judgeWeight).toBe(0);
  expect(ContestFile.parse({ ...contest, judges, criteria }).judgeWeight).toBe(0.7);
  expect(ContestFile.parse({ ...contest, judges, criteria, judgeWeight: 0.5 }).judgeWeight).toBe(0.5);
});
