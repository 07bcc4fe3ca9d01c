import type { SaxesParser, SaxesTagPlain } from "saxes";
import { InputError } from "../../errors.ts";
import type { Draft, Found, Reader } from "./reader.ts";
import { assertionOf, caseKeyOf, countOf, fit } from "./values.ts";

const maxDepth = 100;
/** What one element may hold: its attributes, or the text up to the next element. */
const maxPiece = 32 * 1024 * 1024;
const maxText = 4000;

/** JUnit's XML, as test runners of most languages write it. */
export const junit: Reader = {
  name: "JUnit XML",
  tool: "junit",
  recognises: (shape) => shape.form === "xml" && ["testsuites", "testsuite"].includes(shape.root),
  async *read(bytes) {
    const { SaxesParser: Parser } = await import("./saxes.ts");
    const parser: SaxesParser<object> = new Parser();
    const found: Found[] = [];
    const sinceElement = listen(parser, (line, result) => found.push({ place: `line ${line}`, result }));
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for await (const chunk of bytes()) {
      parser.write(decode(decoder, chunk));
      if (sinceElement(chunk.length) > maxPiece) {
        throw new InputError(`line ${parser.line}: an element or a text is larger than 32 MiB.`);
      }
      yield* found.splice(0);
    }
    parser.write(decode(decoder, undefined));
    parser.close();
    yield* found.splice(0);
  },
};

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new InputError("it is not UTF-8.");
  }
}

/** What is known of the test case that is being read. */
interface TestCase {
  line: number;
  attributes: Record<string, string>;
  /** What it holds: failure, error, skipped, each with a message and a text. */
  outcomes: { kind: string; type: string; message: string; text: string }[];
}

/** Hears of elements, and gives a function that counts the characters since the last one. */
function listen(parser: SaxesParser<object>, onResult: (line: number, result: Draft) => void) {
  const open: string[] = [];
  const suites: string[] = [];
  let testCase: TestCase | undefined;
  let since = 0;
  parser.on("error", ({ message }) => {
    throw new InputError(`line ${parser.line}: this is not XML: ${message.replace(/^\d+:\d+: /, "")}`);
  });
  parser.on("doctype", () => {
    throw new InputError(`line ${parser.line}: a document type (DOCTYPE) is not read. Remove it.`);
  });
  parser.on("opentag", ({ name, attributes }: SaxesTagPlain) => {
    since = 0;
    open.push(name);
    if (open.length > maxDepth) {
      throw new InputError(`line ${parser.line}: the XML is more than ${maxDepth} levels deep.`);
    }
    if (name === "testsuite") suites.push(attributes.name ?? "");
    else if (name === "testcase") testCase = { line: parser.line, attributes, outcomes: [] };
    else if (open.at(-2) === "testcase") {
      const { type = "", message = "" } = attributes;
      testCase?.outcomes.push({ kind: name, type, message, text: "" });
    }
  });
  const onText = (text: string) => {
    const outcome = testCase?.outcomes.at(-1);
    if (outcome !== undefined && open.at(-2) === "testcase") {
      outcome.text = (outcome.text + text).slice(0, maxText);
    }
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("closetag", ({ name }) => {
    since = 0;
    open.pop();
    if (name === "testsuite") suites.pop();
    if (name !== "testcase" || testCase === undefined) return;
    onResult(testCase.line, resultOf(testCase, suites.at(-1) ?? ""));
    testCase = undefined;
  });
  return (length: number) => (since += length);
}

function resultOf({ attributes, outcomes }: TestCase, suite: string): Draft {
  const { name = "", classname = suite, time, status, result } = attributes;
  const of = (kind: string) => outcomes.filter((outcome) => outcome.kind === kind);
  const [error] = of("error");
  const failures = of("failure");
  const isSkipped = of("skipped").length > 0 || status === "notrun" || result === "skipped";
  const seconds = Number((time ?? "").replaceAll(",", ""));
  return fit({
    caseKey:
      caseKeyOf(name.startsWith(classname) ? name : [classname, name].filter(Boolean).join(" > ")) || "test",
    status: error ? "errored" : failures.length > 0 ? "failed" : isSkipped ? "skipped" : "passed",
    error: error && (error.message || error.text.trim() || error.type || "error"),
    assertions: failures.map(({ type, message, text }) =>
      assertionOf(type || "test", false, { reason: message || text.trim() || undefined }),
    ),
    latencyMs: time ? countOf(seconds * 1000) : undefined,
  });
}
