import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ResultInput } from "@promptreg/core";
import { readResults } from "../results.ts";
import { writeJunit } from "./junit.ts";
import { hostileTexts, runOf, sideOf } from "./testing.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "promptreg-junit-"));
  path = join(folder, "out.xml");
});
afterEach(() => rm(folder, { recursive: true }));

const write = (results: ResultInput[]) =>
  writeJunit(path, Readable.from(results), {
    run: runOf(
      3,
      results.map((result) => sideOf({ ...(result as object) })),
    ),
  });

/** As our own reader reads the file. */
async function readBack(): Promise<ResultInput[]> {
  const results: ResultInput[] = [];
  const file = {
    name: "out.xml",
    bytes: async function* () {
      yield await readFile(path);
    },
  };
  for await (const result of readResults([file], { passScore: 0.5 }, new Map())) results.push(result);
  return results;
}

test("a report says failed, errored and skipped as JUnit does", async () => {
  await write([
    { index: 0, caseKey: "refund", status: "passed", latencyMs: 1250, output: "Hello" },
    {
      index: 1,
      caseKey: "anger",
      status: "failed",
      output: "You <b>fool</b>",
      assertions: [
        { type: "polite", passed: false, reason: 'It says "fool".' },
        { type: "short", passed: true },
      ],
    },
    { index: 2, caseKey: "invoice", status: "errored", error: "429" },
    { index: 3, caseKey: "gift", status: "skipped" },
  ]);
  expect(await readFile(path, "utf8")).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="ada/support-reply@3" tests="4" failures="1" errors="1" skipped="1">
<testsuite name="ada/support-reply@3" tests="4" failures="1" errors="1" skipped="1">
<properties><property name="model" value="gpt-5-mini"/><property name="run" value="run_01k00000000000000000000003"/></properties>
<testcase classname="" name="refund" time="1.25"/>
<testcase classname="" name="anger"><failure type="polite" message="It says &quot;fool&quot;."/><system-out>You &lt;b&gt;fool&lt;/b&gt;</system-out></testcase>
<testcase classname="" name="invoice"><error message="429"/></testcase>
<testcase classname="" name="gift"><skipped/></testcase>
</testsuite>
</testsuites>
`);
});

test("what was written is read as the same results", async () => {
  const results: ResultInput[] = [
    { index: 0, caseKey: "refund", status: "passed", latencyMs: 1250 },
    {
      index: 1,
      caseKey: 'a > b\n\tc & "d"',
      status: "failed",
      assertions: [{ type: "polite", passed: false, reason: "no\nline" }],
    },
    { index: 2, caseKey: "refund", attempt: 2, status: "errored", error: "429 <Too Many>" },
    { index: 3, caseKey: "gift", status: "skipped" },
  ];
  await write(results);
  const read = await readBack();
  expect(read).toEqual(results);
});

test.each(hostileTexts)("any text makes an XML that can be read: %j", async (text) => {
  const assertions = [{ type: text, passed: false, reason: text }];
  await write([
    { index: 0, caseKey: text, status: "failed", output: text.repeat(100), assertions },
    { index: 1, caseKey: `${text} 2`, status: "errored", error: text, output: text },
  ]);
  expect((await readBack()).map(({ status }) => status)).toEqual(["failed", "errored"]);
  expect(await readFile(path, "utf8")).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u);
});

test("a hundred thousand results are written while they are read", async () => {
  let [given, most] = [0, 0];
  async function* results(): AsyncGenerator<ResultInput> {
    const output = "x".repeat(5000);
    for (let index = 0; index < 100_000; index++) {
      yield { index, caseKey: `case-${index}`, status: index % 50 ? "passed" : "failed", output };
      given = index;
      if (index % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
    }
  }
  const before = process.memoryUsage().heapUsed;
  await writeJunit(path, results(), { run: runOf(3, []) });
  expect(given).toBe(99_999);
  expect((await readFile(path, "utf8")).match(/<testcase /g)).toHaveLength(100_000);
  expect(most - before).toBeLessThan(100 * 1024 * 1024);
}, 60_000);

test("if the results end with an error, the former file stays, nothing else is left, and the error is theirs", async () => {
  await writeFile(path, "former");
  async function* broken(): AsyncGenerator<ResultInput> {
    for (let index = 0; index < 5000; index++) yield { index, caseKey: `case-${index}`, status: "passed" };
    throw new Error("the registry is gone");
  }
  await expect(writeJunit(path, broken(), { run: runOf(3, []) })).rejects.toThrow("the registry is gone");
  expect(await readFile(path, "utf8")).toBe("former");
  expect(await readdir(folder)).toEqual(["out.xml"]);
  await expect(writeJunit(join(folder, "none", "out.xml"), broken(), { run: runOf(3, []) })).rejects.toThrow(
    "cannot be written: the folder does not exist.",
  );
});
