import { expect, test } from "vitest";
import { promptIn, promptsIn, said, versionOf } from "../testing.ts";

const config = (prompts: unknown, rest: object = {}) => JSON.stringify({ prompts, ...rest });
const read = (prompts: unknown, others: Record<string, string> = {}, rest: object = {}) =>
  promptsIn("evals/promptfooconfig.yaml", config(prompts, rest), others);

test("texts in the configuration are prompts, with the defaults and the model of all", async () => {
  const found = await read(
    ["Translate {{text}} to {{ language }}", { label: "Short", raw: "Be brief: {{text}}{{mark}}" }],
    {},
    {
      providers: [
        { id: "openai:chat:gpt-5-mini", config: { temperature: 0.2, max_tokens: 50, apiKey: "sk-1" } },
      ],
      defaultTest: {
        vars: { language: "see https://example.com", text: "file://a.txt", list: ["a", "b"], mark: "://" },
      },
    },
  );
  expect(found).toMatchObject([
    { part: "prompts[0]", name: "Translate text to language", kind: "text" },
    { part: "prompts[1]", name: "Short" },
  ]);
  const { variables, config: settings } = versionOf(found[0] as never);
  expect(variables).toMatchObject([
    { name: "language", default: "see https://example.com" },
    { name: "text", default: null },
  ]);
  expect(settings).toEqual({ model: "gpt-5-mini", temperature: 0.2, maxTokens: 50 });
  expect(versionOf(found[1] as never).variables).toMatchObject([
    { name: "mark", default: "://" },
    { name: "text", default: null },
  ]);
});

test("messages in the configuration are named by the first", async () => {
  const messages = JSON.stringify([{ role: "system", content: "You translate." }]);
  expect(await read([messages])).toMatchObject([{ name: "You translate.", kind: "chat" }]);
});

test("files that it names are prompts, where they lie", async () => {
  const chat = '[{"role": "system", "content": "You help."}, {"role": "user", "content": "{{q}}"}]';
  const found = await read(
    [
      "file://prompts/a.txt",
      "prompts/chat.json",
      { id: "file://../shared/b.md", label: "B" },
      "file://c.yaml",
      "file://t.csv",
      "file://l.jsonl",
    ],
    {
      "evals/prompts/a.txt": "One {{x}}\n---\nTwo\n",
      "evals/prompts/chat.json": chat,
      "shared/b.md": "# B\n\n---\n\n{{x}}",
      "evals/c.yaml": "- role: system\n  content: Hi\n- role: user\n  content: '{{x}}'\n",
      "evals/t.csv": 'prompt,label\n"To {{x}}",French\nOther,\n',
      "evals/l.jsonl": `${chat}\n\n`,
    },
  );
  expect(found).toMatchObject([
    { path: "evals/prompts/a.txt", part: "prompt 1", name: "a 1", entry: "One {{x}}\n" },
    { path: "evals/prompts/a.txt", part: "prompt 2", name: "a 2" },
    { path: "evals/prompts/chat.json", part: null, name: "chat", kind: "chat" },
    { path: "shared/b.md", part: null, name: "B", kind: "text" },
    { path: "evals/c.yaml", kind: "chat" },
    { path: "evals/t.csv", part: "prompt 1", name: "French" },
    { path: "evals/t.csv", part: "prompt 2", name: "t 2" },
    { path: "evals/l.jsonl", part: null, kind: "chat" },
  ]);
});

test("a pattern names the files of a folder, or of all below", async () => {
  const others = {
    "evals/p/a.txt": "A",
    "evals/p/b.txt": "B",
    "evals/p/q/c.txt": "C",
    "evals/p/d.md": "D",
    "evals/e.txt": "E",
  };
  const names = async (pattern: string) =>
    (await read([pattern], others)).map((one) => (typeof one === "string" ? one : one.name));
  expect(await names("file://p/*.txt")).toEqual(["a", "b"]);
  expect(await names("file://./p/**/*.txt")).toEqual(["a", "b", "c"]);
  expect(await names("p/*")).toEqual(["a", "b", "d"]);
  expect(await names("file://x/*.txt")).toEqual(["prompts[0]: No file fits x/*.txt."]);
  expect(await names("file://p/{a,b}*.t?t")).toEqual([
    "prompts[0]: The pattern evals/p/{a,b}*.t?t cannot be read.",
  ]);
});

test("a file that is named twice comes once, and a configuration is no prompt of its own", async () => {
  const found = await read(["file://a.txt", "*", "a.txt"], { "evals/a.txt": "A", "evals/b.md": "B" });
  expect(found).toMatchObject([{ path: "evals/a.txt" }, { path: "evals/b.md" }]);
});

test("a file may hold the list of prompts", async () => {
  const list = "- file://a.txt\n- id: b\n  label: B\n  raw: Hello {{x}}\n";
  const others = { "evals/parts/list.yaml": list, "evals/a.txt": "A" };
  expect(await read("file://parts/list.yaml", others)).toMatchObject([
    { path: "evals/a.txt", name: "a" },
    { part: "prompts[1]", name: "B" },
  ]);
});

test.for([
  ["file://make.js", "file://make.js is a program that makes the prompt."],
  ["file://make.py:create", "file://make.py:create is a program"],
  ["exec:./make.sh", "exec:./make.sh is a program"],
  ["langfuse://critic@production", "langfuse://critic@production is not among the files."],
  ["file://../../etc/passwd", "../../etc/passwd is outside of what is imported."],
  ["file:///etc/passwd", "/etc/passwd is outside of what is imported."],
  ["file://C:/a.txt", "C:/a.txt is outside of what is imported."],
  ["file://none.txt", "evals/none.txt is not there, or is no text."],
  ["x/file://a.txt", "evals/x/file:/a.txt is not there, or is no text."],
  [" ", "It says no prompt."],
  [7, "It says no prompt."],
])("%j is refused, and the others come", async ([prompt, problem]) => {
  const found = await read([prompt, "Hello"]);
  expect(found).toEqual([
    expect.stringContaining(`prompts[0]: ${problem}`),
    expect.objectContaining({ name: "Hello" }),
  ]);
});

test("a file that is empty, or a broken table, is refused", async () => {
  const others = { "evals/a.txt": " \n---\n", "evals/t.csv": 'prompt\n"a' };
  expect(await read(["a.txt", "t.csv"], others)).toEqual([
    "prompts[0]: evals/a.txt is empty.",
    expect.stringMatching(/^prompts\[1\]: Line 2: [^.]+\.$/),
  ]);
});

test("a text that looks like the name of a file is none, and a file is read by its last ending", async () => {
  const others = {
    "evals/list.yaml.txt": "- a\n- b",
    "evals/LICENSE": "MIT",
    "evals/cut.txt": "a ---\n--- b\n----\n",
    "evals/chat.json": '{"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": "Ho"}]}',
  };
  const texts = ["Use.md5", "://x", "messages:\n- role: user\n  content: Hi"];
  expect(await read([...texts, "cut.txt", "L*", "chat.json"], others)).toMatchObject([
    { part: "prompts[0]", entry: "Use.md5\n" },
    { part: "prompts[1]", entry: "://x\n" },
    { part: "prompts[2]", entry: `${texts[2]}\n` },
    { path: "evals/cut.txt", part: null, entry: others["evals/cut.txt"] },
    { path: "evals/LICENSE", name: "LICENSE" },
    { path: "evals/chat.json", kind: "chat" },
  ]);
  expect(await read("file://list.yaml.txt", others)).toMatchObject([{ name: "list.yaml", kind: "text" }]);
});

test("old configurations have one prompt, or files with their labels", async () => {
  expect(await read("Hello {{x}}")).toMatchObject([{ part: "prompts" }]);
  expect(await read({ "a.txt": "First" }, { "evals/a.txt": "A" })).toMatchObject([
    { path: "evals/a.txt", name: "First" },
  ]);
});

test("what Nunjucks fills in is filled in here", async () => {
  const draft = await promptIn(
    "promptfooconfig.yaml",
    "prompts:\n  - |\n    Dear {{ name }},\n    {{ '{{' }}\n",
  );
  expect(said(draft, { name: "Ada" })).toEqual([{ role: "user", text: "Dear Ada,\n{{\n" }]);
});

test("several models are no setting, and a program is no model", async () => {
  for (const providers of [
    ["openai:gpt-5", "anthropic:messages:claude"],
    "file://model.py",
    ["exec:model.sh"],
  ]) {
    const [draft] = await read(["Hi"], {}, { providers });
    expect(versionOf(draft as never).config).toEqual({});
  }
});

test("a configuration that is a program, or cannot be read, is refused", async () => {
  await expect(promptIn("promptfooconfig.ts", "export default {}")).rejects.toThrow(
    "It is a program. Only YAML and JSON can be read.",
  );
  await expect(promptIn("promptfooconfig.yml", "prompts: a: b")).rejects.toThrow(
    /^The file is not valid YAML on line 1/,
  );
  expect(await promptsIn("promptfooconfig.yaml", "tests: []")).toEqual([]);
});

test("tests of the configuration stay, and the first prompt says how they become a dataset", async () => {
  const found = await promptsIn(
    "evals/promptfooconfig.yaml",
    "prompts: [Hi, Hello]\ntests:\n  - vars: { a: 1 }\n  - vars: { a: 2 }\n",
  );
  expect(found).toMatchObject([
    {
      warnings: [
        "2 tests of evals/promptfooconfig.yaml do not come along. Once the prompt is pushed, they become a dataset: promptreg dataset import <owner/slug> <name> <this file> --create.",
      ],
    },
    { warnings: [] },
  ]);
  expect(await read(["Hi"], {}, { tests: "file://tests.csv" })).toMatchObject([
    { warnings: [expect.stringMatching(/^Tests of evals\/promptfooconfig\.yaml do not come along\./)] },
  ]);
});

test.each([
  ["openai:chat:gpt-5", "gpt-5"],
  ["openai:my-file", "openai/my-file"],
  ["openai:responses:my-gpt", "openai/my-gpt"],
  ["anthropic:messages:claude-5", "claude-5"],
  ["my-openai:gpt-5", "my-openai:gpt-5"],
])("the model %s is %s", async (id, model) => {
  const [draft] = await read(["Hi"], {}, { providers: [id] });
  expect(versionOf(draft as never).config).toEqual({ model });
});
