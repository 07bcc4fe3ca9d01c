import fc from "fast-check";
import { expect, test } from "vitest";
import { ImportError } from "../detector.ts";
import { foundIn } from "../testing.ts";
import { complaintAbout, isThorough, write } from "../../testing/growth.ts";

const paths = [
  "a.json",
  "a.jsonl",
  "a.csv",
  "conversations.json",
  "projects.json",
  "promptfooconfig.yaml",
  "promptfooconfig.json",
  "a.prompt.yml",
  "a.prompt",
  "a.prompty",
];

/** Finds prompts, or an ImportError, and nothing else. */
async function expectAnswer(path: string, text: string) {
  const answer = await foundIn(path, text, { "a.txt": "Hi", "b.json": text }).catch(
    (error: unknown) => error,
  );
  if (answer instanceof Error) expect(answer).toBeInstanceOf(ImportError);
}

const words = `
  lc id kwargs messages prompt role content name template type user placeholder schema prompt-registry/1
  files kind text path mapping current_node message author chat_messages sender human uuid inputs input
  default model config prompts file://a.txt ChatPromptTemplate PromptTemplate RunnableSequence first last bound __proto__ constructor metadata
  parts prompt_template defaultTest vars providers parameters options tools parent
`
  .trim()
  .split(/\s+/);
const word = fc.constantFrom(...words);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    word,
    fc.constantFrom(1, -1, null, true, "", "{{x}}", "\uD800", "a\0b"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(word, tie("value"), { maxKeys: 6 }),
  ),
}));

test("any values where a format expects others are refused, or come as they can", async () => {
  await fc.assert(
    fc.asyncProperty(value, async (one) => {
      const json = JSON.stringify(one);
      const texts = [
        json,
        `[${json}]`,
        `{"lc": 1, "id": ["PromptTemplate"], "kwargs": ${json}}`,
        `{"messages": ${json}}`,
      ];
      const front = [
        `---\n${json}\n---\n{{a}}`,
        `---\ninputs: ${json}\ninput: ${json}\nmodel: ${json}\n---\nuser:\n{{a}}`,
      ];
      const lists = [
        `{"prompts": ${json}, "defaultTest": ${json}, "providers": ${json}}`,
        `{"name": "a", "prompt": ${json}, "config": ${json}}`,
      ];
      for (const path of paths)
        for (const text of [...texts, ...front, ...lists]) await expectAnswer(path, text);
    }),
    { numRuns: isThorough ? 1_500 : 40 },
  );
});

test("any text is refused, or comes as it can", async () => {
  const piece = fc.constantFrom(
    "---\n",
    "{",
    "}",
    "[",
    '"',
    ",",
    "\n",
    "{{",
    "}}",
    "act,prompt\n",
    "a: b\n",
    "user:\n",
    "\\",
    "- ",
    "&a ",
    "*a",
    '{{role "x"}}',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      for (const path of paths) await expectAnswer(path, pieces.join(""));
    }),
    { numRuns: isThorough ? 1_500 : 40 },
  );
});

const known = [...paths, ".cursor/rules/a.mdc", ".claude/commands/a.md", "skills/a/SKILL.md"];
const repeated = [" ", "\t", "\n", "#", "-", "_", ":", "{", "[", "a", '"', "`", "{{", "user", " \u2028"];
const beginnings = ["", "---\na: b\n---\n", "---\nx", "---\nglobs:\n- "];

test.each(known)("what is repeated in %s costs no more than its length", { tags: "long" }, async (path) => {
  const texts = beginnings.flatMap((start) => repeated.map((again) => ({ start, again, end: "\u2028!" })));
  for (const text of texts) await expectAnswer(path, write(text, 60_000));
  expect(await complaintAbout((text) => expectAnswer(path, text), texts)).toBeUndefined();
});

const size = 1_000_000;
const names = (start: string, length: number) => Array.from({ length }, (_, index) => `${start}${index}`);
const large: readonly [path: string, text: string][] = [
  ["a.json", "[".repeat(size)],
  ["a.json", `{"role": ${"[".repeat(size)}`],
  ["a.json", `[${'{"role":"user","content":"{{x}}"},'.repeat(size / 35)}{"role":"user"}]`],
  ["a.json", `{"lc":1,"id":["PromptTemplate"],"kwargs":{"template":"${"{".repeat(size)}"}}`],
  ["a.json", `{"name":"a","prompt":"${"{{".repeat(size / 2)}"}`],
  ["a.prompt", `${"#\n".repeat(size / 2)}x`],
  ["a.prompt", "{{role ".repeat(size / 7)],
  ["a.prompt", "\\{{history}}".repeat(size / 12)],
  ["a.prompt", " \n".repeat(size / 2)],
  ["a.prompty", "user[".repeat(size / 5)],
  ["a.prompty", `---\ninputs: [{name: a, kind: thread}]\n---\n${"{{ a }}".repeat(size / 7)}`],
  ["a.prompty", "# user:\n".repeat(size / 8)],
  ["a.csv", `act,prompt\nA,"${'""'.repeat(size / 2)}"`],
  ["a.csv", `act,prompt\nA,"${"${a:".repeat(size / 4)}"`],
  ["conversations.json", `[{"mapping":{${'"a":{},'.repeat(size / 7)}"b":{}}}]`],
  ["a.json", `{"messages":[{"role":"user","content":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}]}`],
  ["a.json", `${'{"body":'.repeat(size / 8)}{"role":1}${"}".repeat(size / 8)}`],
  [
    "a.prompt.yml",
    `messages: [{role: user, content: x}]\nresponseFormat: json_schema\njsonSchema: "${"[".repeat(size / 2)}${"]".repeat(size / 2)}"`,
  ],
  ["a.prompty", `---\ninputs: [${names("a", 20_000).join()}]\n---\n{{${names("b", 50_000).join("}}{{")}}}`],
  ["promptfooconfig.json", `{"prompts":[${'"*",'.repeat(size / 4)}"*"]}`],
  ["promptfooconfig.json", `{"prompts":["${"*".repeat(size)}"]}`],
  ["promptfooconfig.json", `{"prompts":["file://${"../".repeat(size / 3)}a.txt"]}`],
];
test.for(large.map(([path, text]) => [path, text.slice(0, 50), text] as const))(
  // What takes longer than in proportion to the text would run into the time limit of a test.
  "a large %s is read in a moment: %s",
  { tags: "long" },
  ([path, , text]) => expectAnswer(path, text),
);
