import { describe, expect, test } from "vitest";
import type { DocumentCase } from "../document.ts";
import { documentOf, hostileCases, runOf, sideOf } from "../testing.ts";
import { htmlOf } from "./page.ts";

const caseOf = (
  caseKey: string,
  before: "passed" | "failed",
  now: "passed" | "failed",
  output = "Hello",
) => ({
  caseKey,
  before: sideOf({ caseKey, status: before, output, score: 0.9 }),
  now: sideOf({ caseKey, status: now, output: `${output}!`, score: now === "passed" ? 0.8 : 0.3 }),
});
const alone = (cases: readonly DocumentCase[]) => ({
  ...documentOf([]),
  run: runOf(
    8,
    cases.map(({ now }) => now),
  ),
  comparison: null,
  cases: cases.map((one) => ({ ...one, change: null, before: null })),
});
const keysOf = (html: string) =>
  [...html.matchAll(/<tr><th scope="row">.*?<bdi>(.*?)<\/bdi>/g)].map(([, key]) => key);
/** What is between the tags. */
const textOf = (html: string) =>
  html.replace(/<style>[^]*?<\/style>|<script>[^]*?<\/script>|<[^>]*>/g, " ").replace(/\s+/g, " ");

describe("the page", () => {
  test("says the verdicts first, and lists the cases with the worst first", () => {
    const html = htmlOf(
      documentOf([
        caseOf("fine", "passed", "passed"),
        caseOf("better", "failed", "passed"),
        caseOf("worse", "passed", "failed"),
        caseOf("bad", "failed", "failed"),
      ]),
    );
    expect(html).toContain("<title>ada/support-reply@8: No regression, Fail</title>");
    const text = textOf(html);
    expect(text.indexOf("No regression")).toBeLessThan(text.indexOf("Figures"));
    expect(text).toContain(
      "50% of the results passed, and 80% are needed. 1 broken 1 still failing 1 fixed 1 still passing",
    );
    expect(keysOf(html).slice(-4)).toEqual(["worse", "bad", "better", "fine"]);
    expect(text).toContain("Pass rate of 8 versions: 71% in version 1, 50% in version 8.");
    expect(text).toContain("Cases with a score of 0.5 or above: 4 of 4 before, 2 of 4 now.");
  });

  test("marks what differs in the outputs of a case", () => {
    const html = htmlOf(
      documentOf([
        {
          caseKey: "a",
          before: sideOf({ caseKey: "a", output: "We pay today." }),
          now: sideOf({ caseKey: "a", output: "We pay never." }),
        },
      ]),
    );
    expect(html).toContain('<pre tabindex="0" dir="auto">\nWe pay <del>today</del>.</pre>');
    expect(html).toContain('<pre tabindex="0" dir="auto">\nWe pay <ins>never</ins>.</pre>');
  });

  test("says that outputs are the same only if they are, in what is left out too", () => {
    const long = "x".repeat(20_000);
    const [equal, other] = [long, `${long}!`].map((output) =>
      textOf(
        htmlOf(
          documentOf([
            {
              caseKey: "a",
              before: sideOf({ caseKey: "a", output: long }),
              now: sideOf({ caseKey: "a", output }),
            },
          ]),
        ),
      ),
    );
    expect(equal).toContain("The outputs are the same.");
    expect(other).toContain("The parts shown are the same. The outputs differ in what is left out.");
  });

  test("shows twenty assertions of a case, what failed first, and reasons up to a length", () => {
    const of = (count: number, length: number) => {
      const assertions = Array.from({ length: count }, (_, nth) => ({
        type: `a${nth}`,
        passed: nth !== count - 1,
        score: null,
        reason: nth === count - 1 ? "x".repeat(length) : null,
      }));
      const now = sideOf({ caseKey: "a", status: "failed", assertions });
      return textOf(htmlOf(alone([{ caseKey: "a", change: null, before: null, now }])));
    };
    expect(of(20, 600)).toMatch(/ failed a19 x{600} passed a0 passed a1 /);
    expect(of(20, 600)).not.toMatch(/and \d+ more|x…/);
    expect(of(21, 601)).toMatch(/ failed a20 x{600}… passed a0 .* passed a18 and 1 more /);
    expect(of(23, 1)).toContain(" and 3 more ");
  });

  test("says of a case with several attempts how many passed, if only some did", () => {
    const of = (attempts: number, passRate: number) => {
      const now = { ...sideOf({ caseKey: "a", status: "failed" }), attempts, passRate };
      return textOf(htmlOf(alone([{ caseKey: "a", change: null, before: null, now }])));
    };
    expect(of(4, 0.25)).toContain(" 25% of 4 ");
    for (const [attempts, passRate] of [
      [1, 0.5],
      [2, 0],
      [2, 1],
    ] as const)
      expect(of(attempts, passRate)).not.toMatch(/% of \d /);
  });

  test("of a run that is compared with no other has no column before", () => {
    const html = htmlOf(
      alone(documentOf([caseOf("a", "passed", "failed"), caseOf("b", "passed", "passed")]).cases),
    );
    expect(textOf(html)).toContain("Fail 50% of the results passed, and 80% are needed.");
    expect(html).not.toContain("Before");
    expect(html).not.toContain("How it was compared");
  });

  test("says that a run failed, and why", () => {
    const html = htmlOf({ ...alone([]), run: runOf(8, [], { status: "failed", error: "out of <money>" }) });
    expect(textOf(html)).toContain("Run failed The run did not complete. out of &lt;money&gt;");
  });

  test("says why it shows no cases to those who may not read them", () => {
    const html = htmlOf({
      ...documentOf([caseOf("secret", "passed", "failed")]),
      cases: [],
      areCasesVisible: false,
    });
    expect(html).not.toContain("secret");
    expect(textOf(html)).toContain("The cases are left out. The owner of the prompt can read them");
  });

  test("shows texts of others as text, and what commands a reader's eyes by its code", () => {
    const html = htmlOf(documentOf(hostileCases()));
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html.match(/<\/script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<img|<b>out|onmouseover="|onerror="/);
    expect(html).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u);
    expect(html).toContain("\\u202eright to left\\u202c");
    expect(html.match(/<tbody data-order/g)).toHaveLength(hostileCases().length);
  });

  test("allows itself nothing but its own style and script", () => {
    const html = htmlOf(documentOf([]));
    const policy = /http-equiv="Content-Security-Policy" content="(.*?)"/.exec(html)?.[1] ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; /,
    );
    expect(html).not.toMatch(/ style="| on\w+="|@import|url\(| src=/);
  });

  test("links to a source on the web alone", () => {
    const source = (url: string) => htmlOf({ ...documentOf([]), run: runOf(8, [], { source: { url } }) });
    expect(source("https://ci.example/1")).toContain(
      '<a href="https://ci.example/1" rel="noreferrer noopener">',
    );
    expect(source("javascript:alert(1)")).not.toContain("<a ");
  });
});

describe("the page stays below 5 MB", () => {
  const sizeOf = (html: string) => Buffer.byteLength(html);

  test("with an output of 10 MB in one line, and says how much is left out", () => {
    const output = "<&>".repeat(3_400_000);
    const html = htmlOf(
      documentOf([
        {
          caseKey: "a",
          before: sideOf({ caseKey: "a", output }),
          now: sideOf({ caseKey: "a", output: `${output}!` }),
        },
      ]),
    );
    expect(sizeOf(html)).toBeLessThan(200_000);
    expect(textOf(html)).toContain("10,188,000 more characters of the output are left out.");
  });

  test("with ten thousand cases that are long, and says which it leaves out", { tags: "long" }, () => {
    const cases = Array.from({ length: 10_000 }, (_, at) =>
      caseOf(`${at} ${"\u202e".repeat(190)}`, "passed", at < 50 ? "failed" : "passed", `${at} `.repeat(2000)),
    );
    const html = htmlOf(documentOf(cases));
    expect(sizeOf(html)).toBeLessThan(5_000_000);
    expect(sizeOf(html)).toBeGreaterThan(4_500_000);
    const shown = html.match(/<tbody data-order/g)?.length ?? 0;
    const left = (10_000 - shown).toLocaleString("en");
    expect(textOf(html)).toContain(
      `This page has room for ${shown.toLocaleString("en")} cases, the worst first. ${left} more are left out: see promptreg eval compare`,
    );
    expect(textOf(html)).toMatch(/For \S+ cases the outputs are left out\./);
    expect(keysOf(html).filter((key) => /^(49|0) /.test(key ?? ""))).toHaveLength(2);
  });

  test("and lists ten thousand ordinary cases whole", () => {
    const cases = Array.from({ length: 10_000 }, (_, at) =>
      caseOf(`case-${at}`, "passed", at % 9 ? "passed" : "failed", `answer ${at}`),
    );
    const html = htmlOf(documentOf(cases));
    expect(sizeOf(html)).toBeLessThan(5_000_000);
    expect(html.match(/<tbody data-order/g)).toHaveLength(10_000);
  });

  test("and draws no distribution of a part of the cases", () => {
    const html = htmlOf({ ...documentOf([caseOf("a", "passed", "passed")]), unread: 5 });
    expect(textOf(html)).toContain("The distribution of scores is left out");
    expect(textOf(html)).toContain("This page has room for 1 case, the worst first. 5 more are left out");
  });
});
