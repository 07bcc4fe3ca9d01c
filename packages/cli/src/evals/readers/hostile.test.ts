import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ResultInput } from "@promptreg/core";
import { complaintAbout } from "../../../../core/src/testing/growth.ts";
import { InputError } from "../../errors.ts";
import { checkResults, readResults } from "../results.ts";
import type { ResultFile } from "./files.ts";

const fileOf = (content: string | Uint8Array, piece = 64 * 1024): ResultFile => ({
  name: "results",
  async *bytes() {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  },
});
const check = (content: string | Uint8Array, piece?: number) =>
  checkResults([fileOf(content, piece)], { passScore: 0.5 });
async function read(content: string | Uint8Array, piece?: number): Promise<ResultInput[]> {
  const results: ResultInput[] = [];
  const files = [fileOf(content, piece)];
  for await (const result of readResults(files, { passScore: 0.5 }, new Map())) results.push(result);
  return results;
}
/** What the error says, with the details. */
const refusalOf = async (content: string | Uint8Array) => {
  const error: unknown = await check(content).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!(error instanceof InputError)) throw new Error("It was not refused.", { cause: error });
  return [error.message, ...error.details.map(({ path, message }) => `${path}: ${message}`)].join("\n");
};

const passed = { success: true, failureReason: 0, promptIdx: 0, testIdx: 0, provider: { id: "p" } };
const promptfooOf = (...results: object[]) =>
  JSON.stringify({ evalId: "e", results: { version: 3, timestamp: "t", results } });
const junitOf = (content: string) => `<?xml version="1.0"?><testsuites>${content}</testsuites>`;
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("a case of many fields is named by the first thousand", async () => {
  const vars = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]));
  const first = Object.fromEntries(Object.entries(vars).slice(0, 1_000));
  const [one, other] = await read(promptfooOf({ ...passed, vars }, { ...passed, vars: first }));
  expect([one?.caseKey, other?.attempt]).toEqual([other?.caseKey, 2]);
});

describe("a file is refused with a sentence that says what it is:", () => {
  test.each<[string, string | Uint8Array, string]>([
    ["nothing", "", "results is empty: it contains no results."],
    ["blanks", " \n\t", "results is empty: it contains no results."],
    ["gzip", gzipSync("[]"), "results is compressed with gzip. Unpack it first: gunzip."],
    ["a zip archive", Buffer.from("PK\u0003\u0004…"), "results is a zip archive."],
    ["UTF-16", Buffer.from("\ufeff[]", "utf16le"), "results is UTF-16."],
    ["control characters", "\u001b[2J\u0000", 'It begins with "\\u001b[2J\\u0000".'],
    ["other XML", "<html><body/></html>", 'It begins with "<html><body/></html>".'],
    ["other JSON", '{"hello": 1}', "What can be read:\n: Promptreg's own JSON"],
  ])("%s", async (_, content, sentence) => {
    expect(await refusalOf(content)).toContain(sentence);
  });

  test.each<[string, string | Uint8Array, string]>([
    [
      "half a file",
      promptfooOf(passed).slice(0, -30),
      "results: ends in the middle, on line 1, in a value that begins on line 1. Perhaps the tool was stopped",
    ],
    [
      "half a line",
      `${JSON.stringify({ caseKey: "a", status: "passed" })}\n{"caseKey": "b`,
      "results: ends in the middle, on line 2, in a value that begins on line 2.",
    ],
    ["half of XML", junitOf("").slice(0, -5), "results: line 1: this is not XML: unclosed tag"],
    ["deep JSON", `{"evalId": 1, "results": ${deep(600)}}`, "the JSON is more than 512 levels deep"],
    ["deep JSON in a result", `[{"caseKey": ${deep(600)}}]`, "the JSON is more than 512 levels deep"],
    ["deep XML", junitOf("<a>".repeat(200)), "the XML is more than 100 levels deep"],
    ["a bracket too many", '[{"caseKey": "a", "status": "passed"}]]', '"]" cannot stand there'],
    ["no comma", '[{"caseKey": "a", "status": "passed"} {}]', '"{" cannot stand there'],
    ["a comma too many", '[{"caseKey": "a", "status": "passed"},]', '"]" cannot stand there'],
    ["a key without a value", '{"results": [{"caseKey": "a"}], "b"}', '"}" cannot stand there'],
    ["no colon", '{"results": [{"caseKey": "a"}], "b" 1}', '"1" cannot stand there'],
    ["a comma between values", '{"caseKey": "a", "status": "passed"},{}', '"," cannot stand there'],
    ["a key that is none", '{"results": [{"caseKey": "a"}], 1: 2}', '"1" cannot stand there'],
    [
      "a value that was cut off",
      '{"evalId": 1, "results": {"version": {"a": [',
      "ends in the middle, on line 1",
    ],
    [
      "a key twice",
      '{"results": [{"caseKey": "a", "status": "passed"}], "results": []}',
      "results stands twice",
    ],
    ["no list", '{"evalId": 1, "results": {"results": 3}}', "results.results must be a list"],
    ["bytes that are no UTF-8", Buffer.from('[{"caseKey": "\xff"}]', "latin1"), "this is not UTF-8"],
    ["XML that is no UTF-8", Buffer.from(junitOf("\xff"), "latin1"), "it is not UTF-8"],
    [
      "a billion laughs",
      `<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><testsuites>&b;</testsuites>`,
      "results: line 1: a document type (DOCTYPE) is not read. Remove it.",
    ],
    ["an unknown entity", junitOf("&b;"), "this is not XML: undefined entity"],
    ["one value of 33 MB", `[{"caseKey": "${"x".repeat(33 << 20)}"}]`, "one value is larger than 32 MiB"],
    ["a text of 33 MB", junitOf("x".repeat(33 << 20)), "an element or a text is larger than 32 MiB"],
    ["a number as result", promptfooOf(3 as never), "this is not a result of promptfoo"],
  ])("%s", async (_, content, sentence) => {
    expect(await refusalOf(content)).toContain(sentence);
  });

  test("a log in which nothing is judged", async () => {
    const events = Array.from({ length: 1001 }, (_, index) =>
      JSON.stringify({ run_id: "r", event_id: index, sample_id: `s${index}`, type: "sampling", data: {} }),
    );
    expect(await refusalOf(events.join("\n"))).toContain("more than 1000 samples have no verdict");
  });

  test("more than a thousand attempts of one case", async () => {
    const text = await refusalOf(promptfooOf(...Array.from({ length: 1001 }, () => passed)));
    expect(text).toContain("results: 1 of 1001 results cannot be reported.");
    expect(text).toContain("more than 1000 attempts of one case");
  });
});

describe("what is large or odd is read as the registry takes it:", () => {
  test("10 MB of output in one line are cut, so that the registry says so", async () => {
    const [result] = await read(promptfooOf({ ...passed, response: { output: "x".repeat(10 << 20) } }));
    expect(result?.output).toHaveLength(64 * 1024 + 1);
  });

  test("of outputs that are cut, only what is sent stays in memory", { tags: "long" }, async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const held = () => (collect(), getHeapStatistics().used_heap_size);
    const result = JSON.stringify({ ...passed, response: { output: "x".repeat(8 << 20) } });
    const before = held();
    const lines = async function* () {
      for (let at = 0; at < 10; at++) yield Buffer.from(`${result}\n`);
    };
    const results: ResultInput[] = [];
    const files = [{ name: "results", bytes: lines }];
    for await (const one of readResults(files, { passScore: 0.5 }, new Map())) results.push(one);
    expect(results).toHaveLength(10);
    // A part of a text would keep its 8 MiB.
    expect(held() - before).toBeLessThan(5 * (8 << 20));
  });

  test("long names stay different", async () => {
    const key = "x".repeat(300);
    const results = await read(
      promptfooOf({ ...passed, vars: { a: `${key}1` } }, { ...passed, vars: { a: `${key}2` } }),
    );
    const [one, two] = results.map(({ caseKey }) => caseKey);
    expect([one?.length, two?.length]).toEqual([200, 200]);
    expect(one).not.toBe(two);
  });

  test("of many assertions those that failed are kept", async () => {
    const componentResults = Array.from({ length: 150 }, (_, index) => ({
      pass: index !== 149,
      reason: "r",
    }));
    const [result] = await read(promptfooOf({ ...passed, gradingResult: { componentResults } }));
    expect(result?.assertions).toHaveLength(100);
    expect(result?.assertions?.[0]?.passed).toBe(false);
  });

  test("NULs and halves of characters are replaced", async () => {
    const [result] = await read(promptfooOf({ ...passed, response: { output: "a\0b\ud800" } }));
    expect(result?.output).toBe("a\ufffdb\ufffd");
  });

  test("NaN, as Python writes it, is no score; the text NaN stays", async () => {
    const line = `{"promptIdx": 0, "testIdx": 0, "success": true, "score": NaN, "latencyMs": -Infinity,
      "response": {"output": "is \\"NaN\\" and \\\\"}}`;
    const [result] = await read(line);
    expect(result).toEqual({
      index: 0,
      caseKey: "test 0",
      status: "passed",
      output: 'is "NaN" and \\',
    });
  });

  test("numbers that no result may hold are left out", async () => {
    const [result] = await read(promptfooOf({ ...passed, score: 7, latencyMs: -1, cost: 1e300 }));
    expect(result).toEqual({ index: 0, caseKey: "test 0", status: "passed" });
  });

  test("a mark before UTF-8, and bytes that come one at a time", async () => {
    const content = `\ufeff${promptfooOf({ ...passed, vars: { name: "Zoë 🦉" } })}\n`;
    expect((await read(content, 3))[0]?.caseKey).toBe("name=Zoë 🦉");
    expect((await read(content.slice(1), 1))[0]?.caseKey).toBe("name=Zoë 🦉");
  });

  test("XML with CDATA, comments and a case's reruns", async () => {
    const results = await read(
      junitOf(`<!-- a --><testsuite name="s"><testcase name="a" time="1,000.5"><failure><![CDATA[<no>]]></failure>
        </testcase><testcase name="b"><flakyFailure message="once"/></testcase><testcase name="c" status="notrun"/></testsuite>`),
    );
    expect(results).toEqual([
      {
        index: 0,
        caseKey: "s > a",
        status: "failed",
        assertions: [{ type: "test", passed: false, reason: "<no>" }],
        latencyMs: 1_000_500,
      },
      { index: 1, caseKey: "s > b", status: "passed" },
      { index: 2, caseKey: "s > c", status: "skipped" },
    ]);
  });
});

describe("no results cost more than their length:", () => {
  test.each<[string, (text: string) => string]>([
    ["as they are", (text) => text],
    ["before XML", (text) => `<?xml version="1.0"?>${text}`],
    ["in JUnit XML", (text) => junitOf(`<testcase name="a">${text}`)],
    ["in JSON", (text) => promptfooOf({ ...passed, vars: { text }, error: text })],
    ["as JSON", (text) => `{"evalId": "e", "results": ${text}`],
  ])("%s", async (_, contentOf) => {
    const tried = (text: string) => check(contentOf(text)).catch(() => undefined);
    expect(await complaintAbout(tried)).toBeUndefined();
  });
});
