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
