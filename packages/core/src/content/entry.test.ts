import { isThorough } from "../testing/growth.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEntry } from "./entry.ts";
import { checkFiles } from "./files.ts";
import { entryFiles, type PromptKind, promptKinds } from "./kinds.ts";

async function read(kind: PromptKind, content: string | object, slug = "pr-review") {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const { files } = await checkFiles([
    { path: "notes.md", content: "{{not}} {{mine}}" },
    { path: entryFiles[kind], content: text },
  ]);
  return readEntry(kind, files, slug);
}
const messages = async (kind: PromptKind, content: string | object) =>
  (await read(kind, content)).problems.map(({ message }) => message);
const user = { role: "user", content: "Hi" };

describe("the entry file", () => {
  test.each(promptKinds)("of a %s must be there", (kind) => {
    expect(readEntry(kind, [], "x").problems).toMatchObject([{ code: "invalid_entry", path: "/files" }]);
  });

  test("in other case is pointed out", async () => {
    const { files } = await checkFiles([{ path: "prompt.md", content: "Hi" }]);
    expect(readEntry("text", files, "x").problems[0]?.message).toBe(
      "A prompt of kind text needs a file PROMPT.md at its root. Rename prompt.md.",
    );
  });

  test("of 256 KiB is taken, and not a byte more", async () => {
    expect((await read("text", "x".repeat(262_144))).problems).toEqual([]);
    expect((await read("text", "x".repeat(262_145))).problems).toMatchObject([
      { code: "payload_too_large", path: "/files/1/content" },
    ]);
  });

  test("may end its lines as Windows does: nothing of that is left in what it declares", async () => {
    const lines = [
      "---",
      "config:",
      "  model: gpt",
      "variables:",
      "  - name: x",
      "    default: abc",
      "---",
      "Hi {{x}}",
      "",
    ];
    const { problems, config, variables } = await read("text", lines.join("\r\n"));
    expect({ problems, config, variables }).toMatchObject({
      problems: [],
      config: { model: "gpt" },
      variables: [{ name: "x", default: "abc" }],
    });
  });

  test("can say that it has no variables, and nothing in its braces is told then", async () => {
    const text = "{{name}} {{#if x}} {% raw %} {{first name}}";
    const chat = { messages: [{ ...user, content: text, note: "{{name}}" }], variables: false };
    for (const [kind, content] of [
      ["text", `---\nvariables: false\n---\n${text}`],
      ["command", `---\nvariables:  false  # text\n---\n${text} {{args}}`],
      ["chat", chat],
    ] as const)
      expect(await read(kind, content)).toMatchObject({ variables: [], warnings: [], problems: [] });
  });

  test.each(["variables: False", "variables:\n  false", '"variables": false', "{variables: false}"])(
    "says so in one form alone, which applications can read: not as %j",
    async (yaml) => {
      expect(await messages("text", `---\n${yaml}\n---\nHi`)).toEqual([
        "PROMPT.md: a text without variables says so in a line of its own, variables: false.",
      ]);
    },
  );

  test("must be text, and some", async () => {
    const { files } = await checkFiles([{ path: "PROMPT.md", content: "iVBO", encoding: "base64" }]);
    expect(readEntry("text", files, "x").problems).toMatchObject([{ code: "invalid_entry" }]);
    expect(await messages("rule", "---\nalwaysApply: true\n---\n \n")).toEqual([
      "RULE.md: there is no text in it that a model could read.",
    ]);
  });
});

test.each([
  [1, '"k0". They'],
  [10, '"k9". They'],
  [11, '"k9" and 1 more. They'],
])("of %i unknown keys ten are named", async (count, named) => {
  const config = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
  const { warnings } = await read("chat", { messages: [user], config });
  expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining(named) })]);
});

test("a list is read up to its first wrong item, for a hostile one has a hundred thousand", async () => {
  const parts = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });
  expect(await messages("chat", { messages: [user], tools: [{}, 1, 2] })).toEqual([
    expect.stringMatching(/^CHAT\.json: tools\.1: /),
  ]);
  expect(await messages("chat", parts({ type: "text" }, 1, 2))).toEqual([
    expect.stringMatching(/^CHAT\.json: messages\.0\.content: must be a text, or a list of parts/),
  ]);
  const choice = { name: "a", type: "enum", options: ["x", {}, {}] };
  expect(await messages("chat", { ...parts({ type: "text", text: "{{a}}" }), variables: [choice] })).toEqual([
    "CHAT.json: variables.0.options.1: must be text.",
  ]);
  expect(await messages("chat", parts())).toHaveLength(1);
});

describe("Markdown", () => {
  test("gives variables, config and a token estimate of the text alone", async () => {
    const content =
      "---\nvariables:\n  - name: diff\n    type: multiline\nconfig:\n  model: m\n  seed: 7\n---\nSee {{diff}} é";
    expect(await read("text", content)).toEqual({
      entry: "PROMPT.md",
      variables: [{ name: "diff", type: "multiline", required: true, default: null }],
      config: { model: "m", seed: 7 },
      tokenEstimate: 4,
      warnings: [
        {
          code: "unknown_key",
          path: "/files/1/content",
          message:
            'config has keys that the registry does not know: "seed". They stay in the file, and have no effect.',
        },
      ],
      problems: [],
    });
  });

  test("says where the manifest has what other tools write here", async () => {
    const { warnings } = await read("text", "---\nname: Reply\ndescription: Answers.\nx: 1\n---\nHi");
    expect(warnings).toEqual([
      {
        code: "unknown_key",
        path: "/files/1/content",
        message:
          'PROMPT.md has keys that the registry does not know: "name", "description", "x". They stay in the file, and have no effect. Write name as "title", and description as "summary" in promptreg.json.',
      },
    ]);
  });

  test.each([
    ["rule", "---\ndescription: d\nglobs: ['*.ts']\nalwaysApply: false\n---\nx"],
    ["agent", "---\nname: n\ndescription: d\ntools: [Read]\nmodel: m\n---\nx"],
    ["command", "---\ndescription: d\nargumentHint: '[x]'\ntools: []\nvariables:\nconfig:\n---\n{{args}}"],
    ["agent", "---\ntools: Read, Grep\n---\nx"],
    ["command", "---\nargument-hint: [x]\nallowed-tools: Read, Bash(git add:*)\nmodel: m\n---\nx"],
    ["media", "---\nconfig: {modality: 3d, stop: [a], responseFormat: {type: x}}\n---\nx"],
    ["text", "---\nconfig: {model: m, temperature: 0, topP: 0, maxTokens: 1}\n---\nx"],
    ["text", "---\nconfig: {temperature: 2.5, topP: 1}\n---\nx\n---\ny"],
    ["rule", `---\ndescription: ${"x".repeat(16_384 - 13)}\n---\nx`],
  ] as const)("of a %s may hold the keys of its kind", async (kind, content) => {
    const { problems, warnings } = await read(kind, content);
    expect([...problems, ...warnings]).toEqual([]);
  });

  test("args of a command is a variable without being required", async () => {
    expect((await read("command", "Do {{args}}")).variables).toMatchObject([
      { name: "args", required: false },
    ]);
  });

  test.each([
    ["---\n- a\n---\nx", "the frontmatter must hold keys and values. If the --- belongs to the text, begin"],
    ["---\n{{a}}\n---\nx", "not a word on line 2; put quotes around a value that begins with {. If the ---"],
    ["---\nSome words.\n---\nx", "the frontmatter must hold keys and values"],
    ["---\nconfig: m\n---\nx", "config: must be an object"],
    ["---\nconfig: {temperature: -1}\n---\nx", "config.temperature: must be 0 or more"],
    ["---\nconfig: {topP: -0.1}\n---\nx", "config.topP: must be 0 or more"],
    ["---\nconfig: {topP: 1.1}\n---\nx", "config.topP: must be 1 or less"],
    ["---\nconfig: {maxTokens: 0}\n---\nx", "config.maxTokens: must be 1 or more"],
    ["---\nconfig: {model: ''}\n---\nx", "config.model: "],
    ["---\nconfig: {modality: smell}\n---\nx", "config.modality: must be one of: image"],
    ["---\na: [\n---\nx", "the frontmatter is not valid YAML on line"],
    [`---\na: ${"x".repeat(16_382)}\n---\nx`, "the frontmatter is over 16 KiB"],
  ])("%# is refused as an entry", async (content, reason) => {
    const { problems } = await read("text", content);
    expect(problems).toMatchObject([{ code: "invalid_entry", message: expect.stringContaining(reason) }]);
  });

  test("wrong variables have a code of their own", async () => {
    expect((await read("text", "---\nvariables: {a: {type: x}}\n---\n{{a}}")).problems).toMatchObject([
      { code: "invalid_variables", message: expect.stringContaining("PROMPT.md: variables.0.type") },
    ]);
  });

  test("may hold what looks like a variable and is none, with a warning", async () => {
    const { warnings } = await read(
      "text",
      "{{نام}} {{客户}} {{a-b}} {{a b}} {{客户}} \\{{no-no}} {{ok}} {{}}",
    );
    expect(warnings.map(({ code, message }) => [code, message.split(" stays")[0]])).toEqual(
      ["{{نام}}", "{{客户}}", "{{a-b}}", "{{a b}}"].map((mark) => ["not_a_variable", mark]),
    );
  });

  test("may hold marks of other template languages, with a warning that names their line in the file", async () => {
    const { warnings, variables } = await read(
      "text",
      "---\nconfig: {}\n---\n\nHello\n{{#if a}}\n{{else}}\n",
    );
    expect(warnings.map(({ code, message }) => [code, message.slice(0, 50)])).toEqual([
      ["foreign_template", "Line 6: {{#if a}} is logic of Handlebars or Mustac"],
      ["foreign_template", "Line 7: {{else}} is logic of Handlebars or Mustach"],
      ["foreign_template", "If the text has no variables at all, say so: varia"],
    ]);
    expect(variables.map(({ name }) => name)).toEqual(["else"]);
    expect((await read("text", "{{#if a}} {{b}}")).warnings).toHaveLength(2);
    expect((await read("text", "{{#if a}}")).warnings).toHaveLength(1);
  });

  test("that opens with a rule is text, with a warning", async () => {
    const { problems, warnings } = await read("text", "---\nHello {{name}}");
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([{ code: "unclosed_frontmatter" }]);
    expect((await read("text", "Hello\n---\n{{name}}")).warnings).toEqual([]);
  });
});

describe("CHAT.json", () => {
  test("gives variables from texts and parts of its messages, and not from other keys", async () => {
    const parts = [
      { type: "text", text: "{{b}}" },
      { type: "image_url", image_url: { url: "{{c}}" } },
    ];
    const chat = {
      messages: [
        { role: "system", content: "{{a}}", name: "{{d}}" },
        { type: "placeholder", name: "history" },
        { role: "user", content: parts },
      ],
      variables: [{ name: "a", default: "A" }],
      config: { temperature: 0 },
      tools: [{ type: "function" }],
    };
    const { variables, config, problems, warnings } = await read("chat", chat);
    expect(problems).toEqual([]);
    expect(warnings.map(({ code, message }) => [code, message.split(":")[0]])).toEqual([
      ["not_a_variable", "{{d}} stays as it is at messages.0.name"],
      ["not_a_variable", "{{c}} stays as it is at messages.2.content.1.image_url.url"],
    ]);
    expect(variables.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(config).toEqual({ temperature: 0 });
  });

  test("warns of some placeholders that are not filled in, and shows the beginning of long keys", async () => {
    const marks = Array.from({ length: 5_000 }, () => "{{a}}");
    const messages = [{ role: "user", content: "Hi", ["k".repeat(100_000)]: marks, more: ["{{b}}"] }];
    const { warnings } = await read("chat", { messages });
    expect(warnings).toHaveLength(20);
    expect(warnings[19]?.message).toBe(
      `{{a}} stays as it is at messages.0.${"k".repeat(64)}.19: variables are filled in in the texts of messages alone.`,
    );
  });

  test("warns of a placeholder in a list of plain texts, which is no content", async () => {
    const messages = [{ role: "user", content: "Hi", tool_calls: ["{{a}}"], name: "{{b}}" }];
    const { warnings } = await read("chat", { messages });
    expect(warnings.map(({ message }) => message.split(" ")[0])).toEqual(["{{a}}", "{{b}}"]);
  });

  test.each([
    ["not JSON", "it is not valid JSON"],
    ["[]", "it must be an object with messages"],
    [{}, "messages: is missing"],
    [{ messages: [] }, "messages: must not be empty"],
    [{ messages: Array.from({ length: 201 }, () => user) }, "messages: must have at most 200 items"],
    [{ messages: [user, null] }, "messages.1: must be an object"],
    [{ messages: [{ role: "bot", content: "" }] }, "messages.0.role: must be one of: system"],
    [{ messages: [{ role: "user" }] }, "messages.0.content: must be a text, or a list of parts"],
    [{ messages: [{ role: "assistant", tool_calls: [] }] }, "messages.0.content: must be a text"],
    [{ messages: [{ role: "user", tool_calls: [{}] }] }, "messages.0.content: must be a text"],
    [{ messages: [{ role: "user", content: [{ text: "x" }] }] }, "messages.0.content: must be a text"],
    [{ messages: [{ type: "placeholder", name: "a b" }] }, "messages.0.name: must be a name"],
    [{ messages: [user], tools: {} }, "tools: must be a list"],
  ])("%j is refused", async (content, reason) => {
    expect((await messages("chat", content))[0]).toContain(`CHAT.json: ${reason}`);
  });

  test("holds calls of tools without a content", async () => {
    const call = { role: "assistant", tool_calls: [{ id: "1" }] };
    expect(await messages("chat", { messages: [call, { ...call, content: null }] })).toEqual([]);
  });

  test("names at most twenty problems", async () => {
    expect(await messages("chat", { messages: Array.from({ length: 200 }, () => ({})) })).toHaveLength(20);
    expect(await messages("chat", `{"messages":[${"1,".repeat(100_000)}1]}`)).toHaveLength(1);
  });
});

describe("SKILL.md", () => {
  const skill = (frontmatter: string, body = "Do it.") => `---\n${frontmatter}\n---\n${body}`;
  const named = "name: pr-review\ndescription: Reviews.";

  test("is taken with all that the Agent Skills standard knows, and its text has no variables", async () => {
    const more = "license: MIT\ncompatibility: git\nmetadata:\n  author: a\nallowed-tools: Read Bash(git:*)";
    const { problems, warnings, variables } = await read(
      "skill",
      skill(`${named}\n${more}`, "Write {{name}}."),
    );
    expect([...problems, ...warnings, ...variables]).toEqual([]);
  });

  test.each([
    ["Do it.", "name"],
    [skill("description: d"), "name"],
    [skill("name: x"), "description"],
    [skill("name: Pr-Review\ndescription: d"), "name"],
    [skill("name: a--b\ndescription: d"), "name"],
    [skill("name: -a\ndescription: d"), "name"],
    [skill(`name: ${"a".repeat(65)}\ndescription: d`), "name"],
    [skill("name: 12\ndescription: d"), "name"],
    [skill("name: con\ndescription: d"), "name"],
    [skill("name: x\ndescription: ' '"), "description"],
    [skill(`name: x\ndescription: ${"d".repeat(1025)}`), "description"],
    [skill(`${named}\ncompatibility: ''`), "compatibility"],
    [skill(`${named}\ncompatibility: ${"c".repeat(501)}`), "compatibility"],
    [skill(`${named}\nmetadata: {a: [b]}`), "metadata.a"],
    [skill(`${named}\nallowed-tools: {a: b}`), "allowed-tools"],
  ])("%# is refused for its %s", async (content, key) => {
    expect((await messages("skill", content))[0]).toContain(`SKILL.md: ${key}`);
  });

  test.each([
    ["another name than the slug", skill("name: other\ndescription: d"), "skill_name"],
    ["metadata that is not text", skill(`${named}\nmetadata: {version: 1.0}`), "skill_metadata"],
    ["over 500 lines", skill(named, "line\n".repeat(497)), "skill_length"],
    ["over 500 lines, the last of them open", skill(named, `${"line\n".repeat(496)}line`), "skill_length"],
    ["keys of other tools", skill(`${named}\nvariables: []`), "unknown_key"],
  ])("%s is a warning", async (_, content, code) => {
    const { problems, warnings } = await read("skill", content);
    expect(problems).toEqual([]);
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
  });

  test("500 lines are fine", async () => {
    expect((await read("skill", skill(named, "line\n".repeat(496)))).warnings).toEqual([]);
    expect((await read("skill", skill(named, ""))).problems).toEqual([]);
  });
});

test("whatever a file holds, it gets an answer", async () => {
  const words = [
    "---\n",
    "name: ",
    "variables:",
    "config:",
    "messages",
    "{{a}}",
    "\n",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
  ];
  const unit = fc.constantFrom(
    ...words,
    '"',
    "role",
    "content",
    "user",
    "type",
    "null",
    "1",
    " ",
    "  ",
    "é",
    "a",
  );
  const content = fc.tuple(fc.constantFrom("", "---\n", '{"messages":['), fc.string({ unit, maxLength: 40 }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...promptKinds), content, async (kind, [start, rest]) => {
      const { problems, warnings } = await read(kind, start + rest);
      for (const { code, path, message } of [...problems, ...warnings]) {
        expect([code, path, message].every((part) => part !== "")).toBe(true);
      }
    }),
    { numRuns: isThorough ? 1000 : 200 },
  );
});

test("any JSON value gets an answer as a chat and as frontmatter", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.json(), async (value, other) => {
      const chat = await read("chat", `{"messages":[${value}],"variables":${other},"config":${value}}`);
      const yaml = `variables: ${value.replaceAll("\n", " ")}\nconfig: ${other}`;
      const text = await read("text", `---\n${yaml}\n---\n{{a}}`);
      expect([chat.entry, text.entry]).toEqual(["CHAT.json", "PROMPT.md"]);
    }),
    { numRuns: isThorough ? 300 : 60 },
  );
});
