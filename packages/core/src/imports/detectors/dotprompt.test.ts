import { Dotprompt } from "dotprompt";
import { expect, test } from "vitest";
import { promptIn, promptsIn, said, versionOf } from "../testing.ts";

const file = `# Copyright somebody
#
# A licence

---
model: googleai/gemini-2.5-flash
config:
  temperature: 0.8
  maxOutputTokens: 4096
  topK: 40
tools: [search]
input:
  schema:
    name: string, Who it is for, really
    budget?: number, In euros
    tone(enum, How it sounds): [calm, brief]
    tags(array, Some tags): string
    unused: string
  default:
    name: Ada
    tone: calm
output:
  format: json
  schema:
    answer: string
---

{{role "system"}}
You plan for {{name}}, {{ tone }}.

{{role "user"}}
{{history}}

Budget: {{budget}}, {{tags}}

{{role "model"}}
Fine.
`;

test("a file is a chat, with the types, defaults and descriptions of its variables", async () => {
  const draft = await promptIn("prompts/plan.prompt", file);
  expect(draft).toMatchObject({ kind: "chat", name: "plan", part: null });
  expect(JSON.parse(draft.entry).messages).toEqual([
    { role: "system", content: "You plan for {{name}}, {{tone}}." },
    { type: "placeholder", name: "history" },
    { role: "assistant", content: "Budget: {{budget}}, {{tags}}" },
    { role: "assistant", content: "Fine." },
  ]);
  const { variables, config } = versionOf(draft);
  expect(variables).toMatchObject([
    { name: "name", description: "Who it is for, really", default: "Ada" },
    { name: "budget", type: "number", description: "In euros", required: false },
    { name: "tone", type: "enum", options: ["calm", "brief"], description: "How it sounds", default: "calm" },
    { name: "tags", type: "json", description: "Some tags" },
  ]);
  expect(config).toEqual({
    model: "googleai/gemini-2.5-flash",
    temperature: 0.8,
    maxTokens: 4096,
    topK: 40,
    responseFormat: "json_object",
  });
  expect(draft.warnings).toEqual([
    "Its tools are left out: the application that ran it has them.",
    "The schema of its answers is left out.",
    "These variables are left out, since no text has a place for them alone: unused.",
  ]);
});

test.for([
  '{{role "system"}}\nBe kind.\n{{role "user"}}\nHello {{name}}\n',
  "Hello {{name}}!",
  'Hello\n{{~role "model"~}}\n\nHi {{name}}.\n\n',
  "{{role 'system'}}{{name}}{{role 'user'}}\\{{role 'model'}} {{name}}",
])("says what Dotprompt says for %j", async (body) => {
  const text = `---\nmodel: x\n---\n${body}`;
  const { messages } = await new Dotprompt().render(text, { input: { name: "Ada" } });
  const theirs = messages.map(({ role, content }) => ({
    role: role === "model" ? "assistant" : role,
    text: content
      .map((part) => ("text" in part ? part.text : ""))
      .join("")
      .trim(),
  }));
  const ours = said(await promptIn("a.prompt", text), { name: "Ada" });
  expect(ours.map(({ role, text: said }) => ({ role, text: String(said).trim() }))).toEqual(theirs);
});

test("JSON Schema has the same", async () => {
  const schema = `{type: object, properties: {a: {type: integer, default: 3}, b: {}, c: {type: string}, d: {type: integer, default: [1]}, e: {enum: []}}, required: [a, b]}`;
  const draft = await promptIn(
    "a.prompt",
    `---\ninput:\n  schema: ${schema}\n---\n{{a}} {{b}} {{c}} {{d}} {{e}}`,
  );
  expect(versionOf(draft).variables).toMatchObject([
    { name: "a", type: "number", default: 3, required: true },
    { name: "b", type: "json", required: true },
    { name: "c", type: "text", required: false },
    { name: "d", type: "json", default: [1] },
    { name: "e", type: "text" },
  ]);
});

test.each(['{{role"system"}} Hi', '{{role ""}} Hi'])("%j is no mark of a role", async (text) => {
  expect(said(await promptIn("a.b.prompt", text))).toEqual([{ role: "user", text: `${text}\n` }]);
});

test("comments are left out, and lines are told by their message", async () => {
  const text = '{{! For us. }}{{role "system"}}\nYou.\n{{role "user"}}\nSay\n{{#each x}}';
  const draft = await promptIn("a.prompt", text);
  expect(draft.entry).not.toContain("For us");
  expect(draft.warnings).toEqual([
    "Line 2 of message 2: {{#each x}} is logic of a template. It stays as text.",
  ]);
});

test("what is no name in the short form is no variable", async () => {
  const schema = "{ 1name: number, 'name!': number, 'x ': number }";
  const draft = await promptIn("a.prompt", `---\ninput: {schema: ${schema}}\n---\n{{name}} {{x}}`);
  expect(versionOf(draft).variables.map(({ name, type }) => [name, type])).toEqual([
    ["x", "number"],
    ["name", "text"],
  ]);
});

test("a JSON Schema may have types in the short form", async () => {
  const text = "---\ninput: {schema: {type: object, properties: {name: 'string, Whose'}}}\n---\n{{name}}";
  expect(versionOf(await promptIn("a.prompt", text)).variables).toMatchObject([
    { name: "name", type: "text", description: "Whose" },
  ]);
});

test("frontmatter that cannot be read is refused with its line in the file, and a part of other prompts is none", async () => {
  await expect(promptIn("a.prompt", "# A\n# B\n---\nmodel: x\ninput: a: b\n---\nHello")).rejects.toThrow(
    /^The frontmatter is not valid YAML on line 5/,
  );
  expect(await promptsIn("prompts/_header.prompt", "Hello")).toEqual([]);
});
