import { describe, expect, test } from "vitest";
import { markdownOf, markerOf } from "./markdown.ts";
import { documentOf, hostileCases, hostileTexts, runOf, sideOf } from "./testing.ts";

const caseOf = (caseKey: string, before: "passed" | "failed", now: "passed" | "failed", reason?: string) => ({
  caseKey,
  before: sideOf({ caseKey, status: before }),
  now: sideOf({ caseKey, status: now, error: reason ?? null }),
});
const many = (count: number, before: "passed" | "failed", now: "passed" | "failed") =>
  Array.from({ length: count }, (_, at) => caseOf(`${now}-${at}`, before, now, "no"));

describe("the Markdown", () => {
  test("says the verdict first, then the figures, what broke and why, and how it was compared", () => {
    const cases = [
      ...Array.from({ length: 8 }, (_, at) =>
        caseOf(`refund-${at}`, "passed", "failed", "It promises money."),
      ),
      caseOf("invoice", "failed", "passed"),
      ...Array.from({ length: 11 }, (_, at) => caseOf(`other-${at}`, "passed", "passed")),
    ];
    const markdown = markdownOf(documentOf(cases));
    expect(markdown.split("\n").slice(0, 6)).toEqual([
      "<!-- promptreg:ada/support-reply:gpt-5-mini:Support%20questions -->",
      "",
      "### ❌ Regression · Fail",
      "",
      "`ada/support-reply@8` against version 7 with `gpt-5-mini` on `Support questions`, revision 7",
      "",
    ]);
    expect(markdown).toContain(
      "The pass rate fell by more than noise.\n60% of the results passed, and 80% are needed.",
    );
    expect(markdown).toContain("| Pass rate | 95% | 60% | −35 points |\n");
    expect(markdown).toContain("**Broken: 8**\n\n- `refund-0`: `It promises money.`\n");
    expect(markdown).toContain("**Fixed: 1** `invoice`\n");
    expect(markdown).toMatch(
      /<details><summary>How it was compared<\/summary>\n\n- 20 cases .*\n[^]*McNemar[^]*\n<\/details>\n/,
    );
  });

  test.each([
    [20, ""],
    [21, "and 1 more"],
    [1_023, "and 1,003 more"],
  ])("names twenty of %i cases that broke", (count, rest) => {
    const markdown = markdownOf(documentOf(many(count, "passed", "failed")));
    expect(markdown).toContain(`**Broken: ${count.toLocaleString("en")}**`);
    expect(markdown.match(/^- `failed-\d+`: `no`$/gm)).toHaveLength(20);
    expect(/^and [\d,]+ more$/m.exec(markdown)?.[0] ?? "").toBe(rest);
  });

  test("names forty of the cases that are fixed, and a reason up to a length", () => {
    const fixed = (count: number) => markdownOf(documentOf(many(count, "failed", "passed")));
    expect(fixed(40).match(/`passed-\d+`/g)).toHaveLength(40);
    expect(fixed(40)).not.toMatch(/and \d+ more/);
    expect(fixed(41).match(/`passed-\d+`/g)).toHaveLength(40);
    expect(fixed(41)).toContain("\nand 1 more");
    const reason = (length: number) =>
      markdownOf(documentOf([caseOf("a", "passed", "failed", "x".repeat(length))]));
    expect(reason(300)).toContain(`\`${"x".repeat(300)}\``);
    expect(reason(301)).toContain(`\`${"x".repeat(300)}…\``);
  });

  test("of a run alone counts what was not read, and no less than what it names", () => {
    const cases = documentOf(many(2, "passed", "failed")).cases.map((one) => ({
      ...one,
      change: null,
      before: null,
    }));
    const run = runOf(
      8,
      cases.map(({ now }) => now),
    );
    const of = (unread: number, failed: number, errored: number) =>
      markdownOf({
        ...documentOf([]),
        run: { ...run, summary: { ...run.summary, failed, errored } },
        comparison: null,
        cases,
        unread,
      });
    expect(of(0, 9, 9)).toContain("**Failed and errored: 2**");
    expect(of(1, 4, 3)).toContain("**Failed and errored: 7**");
    expect(of(1, 4, 3)).toContain("\nand 5 more");
    expect(of(1, 1, 0)).toContain("**Failed and errored: 2**");
  });

  test("of a run that is compared with no other names what failed", () => {
    const cases = documentOf([
      caseOf("a", "passed", "failed", "Too long."),
      caseOf("b", "passed", "passed"),
    ]).cases;
    const markdown = markdownOf({
      ...documentOf([]),
      run: runOf(
        8,
        cases.map(({ now }) => now),
      ),
      comparison: null,
      cases: cases.map((one) => ({ ...one, change: null, before: null })),
    });
    expect(markdown).toContain("### ❌ Fail\n");
    expect(markdown).toContain("| Pass rate | 50% |\n");
    expect(markdown).toContain("**Failed and errored: 1**\n\n- `a`: `Too long.`\n");
    expect(markdown).not.toContain("How it was compared");
  });

  test("names twenty broken cases, and says how many more there are", () => {
    const markdown = markdownOf(
      documentOf([...many(33, "passed", "failed"), ...many(50, "failed", "passed")]),
    );
    expect(markdown.match(/^- `failed-/gm)).toHaveLength(20);
    expect(markdown).toContain("\n\nand 13 more\n");
    expect(markdown).toContain("**Fixed: 50** `passed-0` ");
    expect(markdown).toContain("\nand 10 more\n");
  });

  test("shows nothing of the cases to those who may not read them", () => {
    const document = documentOf(many(3, "passed", "failed"));
    expect(markdownOf({ ...document, cases: [], areCasesVisible: false })).not.toContain("Broken");
  });

  test("has texts of others in code alone, which none of them ends", () => {
    const markdown = markdownOf(documentOf(hostileCases()));
    const ours = markdown.replace(/^<!-- .* -->\n/, "").replace(/(`+)(?!`)(.*?[^`])\1(?!`)/g, "");
    for (const word of [
      "evil",
      "script",
      "owned",
      "@ada",
      "#12",
      "]]>",
      "heading",
      "quote",
      "fence",
      "\u202e",
      "\u001b",
    ])
      expect(ours).not.toContain(word);
    expect(markdown.match(/<\/details>$/gm)).toHaveLength(1);
  });

  test("has as many cells in each line of its table, whatever an assertion is named", () => {
    const lines = markdownOf(documentOf(hostileCases()))
      .split("\n")
      .filter((line) => line.startsWith("| "));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) expect(line.split("|")).toHaveLength(6);
  });

  test.each(hostileTexts)("begins with a marker that no name closes: %j", (name) => {
    const marker = markerOf(runOf(1, [], { model: name, dataset: { id: null, name, revision: null } }));
    expect(marker).toMatch(/^<!-- [!-~]* -->$/);
    expect(marker.slice(4, -3)).not.toMatch(/--|>/);
  });

  test("gives each prompt, model and dataset a marker of its own", () => {
    const dataset = (name: string) => ({ id: null, name, revision: null });
    const runs = [
      runOf(1, [], { model: "a:b", dataset: dataset("c") }),
      runOf(1, [], { model: "a", dataset: dataset("b:c") }),
      runOf(1, [], { model: "a--b", dataset: null }),
      runOf(1, [], { model: "a-%2Db", dataset: null }),
    ];
    expect(new Set(runs.map(markerOf)).size).toBe(4);
    expect(markerOf(runOf(1, []))).toBe(markerOf(runOf(2, [])));
  });

  test("stays within 60,000 characters with the longest of all texts", () => {
    const long = "\u202e".repeat(5000);
    const cases = Array.from({ length: 3000 }, (_, at) => {
      const caseKey = `${at}${long}`.slice(0, 200);
      const status = at < 1000 ? "failed" : at < 2000 ? "errored" : "passed";
      const assertions = [
        { type: `${at}${long}`.slice(0, 100), passed: false, score: 0.1, reason: long.slice(0, 2000) },
      ];
      return {
        caseKey,
        before: sideOf({
          caseKey,
          status: status === "passed" ? "failed" : "passed",
          score: 0.9,
          assertions,
        }),
        now: sideOf({ caseKey, status, assertions, score: 0.1 }),
      };
    });
    const document = documentOf(cases);
    const dataset = { id: null, name: long.slice(0, 80), revision: null };
    const run = { ...document.run, model: "\u{1f600}".repeat(100), dataset };
    expect(markdownOf({ ...document, run }).length).toBeLessThan(60_000);
  });
});
