import { describe, expect, test, vi } from "vitest";
import { RenderError } from "./render.ts";
import { requiredText } from "./variable.ts";
import { renderVersion } from "./version.ts";

const version = (entry: string, content: string | object) => ({
  entry,
  files: [
    { path: "notes.bin", encoding: "base64" as const, content: "AA==" },
    {
      path: entry,
      encoding: "utf8" as const,
      content: typeof content === "string" ? content : JSON.stringify(content),
    },
  ],
  variables: [],
});
const chat = (...messages: object[]) => version("CHAT.json", { messages });
const system = { role: "system", content: "You review {{language}}." };
const user = { role: "user", content: "Review {{diff}}" };
const history = { type: "placeholder", name: "history" };
const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error instanceof RenderError ? error.code : error;
  }
  return "nothing was refused";
};

test("messages are told apart by their roles", () => {
  const call = { id: "1", type: "function", function: { name: "look", arguments: "{}" } };
  const answer = { role: "tool", content: "A hat", tool_call_id: "1" };
  const { messages } = renderVersion(chat({ role: "assistant", content: "", tool_calls: [call] }, answer));
  const names: (string | undefined)[] = messages.map((message) => {
    if (message.role === "assistant") return message.tool_calls?.[0]?.function.name;
    return message.role === "tool" ? message.tool_call_id : undefined;
  });
  expect(names).toEqual(["look", "1"]);
});

describe("a Markdown entry", () => {
  test.each([
    ["PROMPT.md", "user"],
    ["COMMAND.md", "user"],
    ["AGENT.md", "system"],
    ["RULE.md", "system"],
  ])("%s becomes one message of the %s", (entry, role) => {
    const content = "---\nconfig:\n  model: m\n---\n\nHello {{name}}\n";
    expect(renderVersion(version(entry, content), { name: "Ada" })).toEqual({
      text: "Hello Ada\n",
      messages: [{ role, content: "Hello Ada\n" }],
      missing: [],
    });
  });

  test.each([
    ["---\r\na: 1\r\n---\r\nbody", "body"],
    ["\uFEFF---\na: 1\n---  \nbody", "body"],
    ["---\n---\nbody", "body"],
    ["---\na: 1\n---\n \n\nbody\n\nwith \ufeff in it", "body\n\nwith \ufeff in it"],
    ["body\n\nwith \ufeff in it", "body\n\nwith \ufeff in it"],
    ["---\na: 1\n---\nbody\n\nmore", "body\n\nmore"],
    ["---\na: 1\n---", ""],
    ["---\na: |\n  ---\n---\nbody", "body"],
    ["---\nno end", "---\nno end"],
    ["----\na\n---\nbody", "----\na\n---\nbody"],
    [" ---\na\n---\nbody", " ---\na\n---\nbody"],
    ["body\n---\na: 1\n---\n", "body\n---\na: 1\n---\n"],
  ])("of %j the text is %j", (content, text) => {
    expect(renderVersion(version("PROMPT.md", content)).text).toBe(text);
  });

  test("without variables is printed as it stands, and has no names to give", () => {
    const body = "Write \\{{name}} for {{name}}, {{#if x}} and {{{raw}}}.";
    const literal = version("PROMPT.md", `---\nconfig: {}\nvariables: false # Handlebars\n---\n${body}`);
    expect(renderVersion(literal)).toMatchObject({ text: body, missing: [] });
    expect(codeOf(() => renderVersion(literal, { name: "Ada" }))).toBe("unknown_variables");
    for (const line of ["x-variables: false", "variables: falsehood", "variables: false x"]) {
      const filled = version("PROMPT.md", `---\n${line}\n---\n{{name}}`);
      expect(renderVersion(filled, { name: "Ada" }).text).toBe("Ada");
    }
  });

  test("a skill's text is never filled in", () => {
    const skill = version("SKILL.md", "---\nname: x\n---\nWrite {{name}} and \\{{.");
    expect(renderVersion(skill).text).toBe("Write {{name}} and \\{{.");
    expect(codeOf(() => renderVersion(skill, { name: "Ada" }))).toBe("unknown_variables");
  });
});

describe("a chat", () => {
  test("fills every message, and parts of type text alone", () => {
    const image = { type: "image_url", image_url: { url: "{{diff}}" } };
    const parts = { role: "user", content: [{ type: "text", text: "See {{diff}}" }, image] };
    const { messages } = renderVersion(chat(system, parts), { language: "Go", diff: "+1" });
    expect(messages).toEqual([
      { role: "system", content: "You review Go." },
      { role: "user", content: [{ type: "text", text: "See +1" }, image] },
    ]);
  });

  test("puts the caller's messages in place, untouched", () => {
    const own = [{ role: "assistant" as const, content: null, toolCalls: ["{{diff}}"] }];
    const rendered = renderVersion(
      chat(system, history, user),
      { language: "Go", diff: "+1" },
      { messages: { history: own } },
    );
    expect(rendered.messages[1]).toBe(own[0]);
    expect(rendered.messages).toHaveLength(3);
  });

  test("without variables is printed as it stands, and still takes the caller's messages", () => {
    const literal = version("CHAT.json", { variables: false, messages: [system, history] });
    const { messages } = renderVersion(literal, {}, { messages: { history: [user] } });
    expect(messages).toEqual([system, user]);
  });

  test("needs messages for each placeholder when strict, and takes an empty list", () => {
    const open = chat(history, { role: "user", content: "Hi" });
    expect(codeOf(() => renderVersion(open))).toBe("missing_variables");
    expect(codeOf(() => renderVersion(open, {}, { messages: { history: [], histroy: [] } }))).toBe(
      "unknown_variables",
    );
    expect(renderVersion(open, {}, { messages: { history: [] } }).messages).toHaveLength(1);
    expect(renderVersion(open, {}, { strict: false })).toMatchObject({ text: "Hi", missing: ["history"] });
  });

  test("leaves a placeholder open that is named like something objects inherit", () => {
    const open = chat({ type: "placeholder", name: "constructor" });
    expect(renderVersion(open, {}, { strict: false })).toEqual({
      text: "",
      messages: [],
      missing: ["constructor"],
    });
  });

  test("refuses as messages what is none, and takes those of any SDK", () => {
    const open = chat(history);
    const give = (given: unknown, strict = true) =>
      renderVersion(open, {}, { strict, messages: { history: given as object[] } });
    expect(codeOf(() => give(undefined))).toBe("missing_variables");
    for (const given of ["Hi", {}, ["x"], [null], [{ role: "robot" }]])
      expect(() => give(given)).toThrow(
        'history must be a list of messages, such as {"role": "user", "content": "…"}.',
      );
    expect(give("Hi", false)).toEqual({ text: "", messages: [], missing: ["history"] });
    const own = [{ type: "reasoning" }, { content: "of a class" }, { role: "model", parts: [] }];
    expect(give(own).messages).toEqual(own);
  });

  test("may call tools without a content", () => {
    const call = { role: "assistant", tool_calls: [{ id: "1" }] };
    const calls = [call, { ...call, content: null }];
    expect(renderVersion(chat(...calls)).messages).toEqual(calls);
  });

  test("keeps further keys of messages", () => {
    const message = { role: "tool", content: "{{a}}", tool_call_id: "{{a}}" };
    expect(renderVersion(chat(message), { a: "x" }).messages).toEqual([{ ...message, content: "x" }]);
  });

  test("is one text: system and user under one another, more with their roles as headings", () => {
    const values = { language: "Go", diff: "+1" };
    expect(renderVersion(chat(system, user), values).text).toBe("You review Go.\n\nReview +1");
    expect(renderVersion(chat(user), { diff: "+1" }).text).toBe("Review +1");
    expect(renderVersion(chat(system, user, { role: "assistant", content: "Fine." }), values).text).toBe(
      "## System\n\nYou review Go.\n\n## User\n\nReview +1\n\n## Assistant\n\nFine.",
    );
  });

  test.each([
    "",
    "null",
    "[]",
    "{}",
    '{"messages":1}',
    '{"messages":[null]}',
    '{"messages":[{"role":"user"}]}',
  ])("%j is refused as an entry", (content) => {
    expect(codeOf(() => renderVersion(version("CHAT.json", content)))).toBe("invalid_entry");
  });

  test("odd parts of a message pass through", () => {
    const odd = { role: "user", content: [null, 1, { type: "text", text: 2 }, "{{a}}"] };
    expect(renderVersion(chat(odd)).messages).toEqual([odd]);
  });
});

test("a version without the content of its files is refused", () => {
  const files = [{ path: "PROMPT.md", encoding: "utf8" as const }];
  expect(codeOf(() => renderVersion({ entry: "PROMPT.md", files, variables: [] }))).toBe("invalid_entry");
});

test("declared variables hold for the whole version", () => {
  const prompt = {
    ...version("PROMPT.md", "{{tone}}"),
    variables: [{ ...requiredText("tone"), default: "warm" }],
  };
  expect(renderVersion(prompt).text).toBe("warm");
});

describe("a rendering that is repeated", () => {
  const message = { role: "assistant", content: "Hi {{name}}", tool_calls: [{ id: "call_1" }] };
  const version = () => ({
    entry: "CHAT.json",
    files: [
      { path: "CHAT.json", encoding: "utf8" as const, content: JSON.stringify({ messages: [message] }) },
    ],
    variables: [],
  });

  test("is not changed by what was done to the one before", () => {
    const [first] = renderVersion(version(), { name: "Ada" }).messages;
    (first as unknown as typeof message).tool_calls[0]!.id = "changed";
    expect(renderVersion(version(), { name: "Bob" }).messages).toEqual([{ ...message, content: "Hi Bob" }]);
  });

  test("reads a file that was changed meanwhile as it is now, and as the kind that it is of", () => {
    const changing = version();
    renderVersion(changing, { name: "Ada" });
    changing.files[0]!.content = '{"messages":[{"role":"user","content":"Bye"}]}';
    expect(renderVersion(changing).text).toBe("Bye");
    const text = { ...changing, entry: "PROMPT.md", files: [{ ...changing.files[0]!, path: "PROMPT.md" }] };
    expect(renderVersion(text).text).toBe(changing.files[0]!.content);
  });
});

test("a hundred entry files at most stay parsed, and none of over 65,536 characters", () => {
  const parse = vi.spyOn(JSON, "parse");
  const parsesOf = (...contents: string[]) => {
    const versions = contents.map((content) => version("CHAT.json", content));
    parse.mockClear();
    for (const one of versions) renderVersion(one);
    return parse.mock.calls.length;
  };
  const chatOf = (length: number) =>
    JSON.stringify({ messages: [{ role: "user", content: "Hi" }] }).padEnd(length);
  const [kept, large] = [chatOf(65_536), chatOf(65_537)];
  expect(parsesOf(kept, large, kept, kept, large)).toBeLessThan(5);
  expect(parsesOf(large, large)).toBe(2);
  expect(parsesOf(...Array.from({ length: 100 }, (_, nth) => chatOf(1_000 + nth)))).toBe(100);
  expect(parsesOf(kept)).toBe(1);
  parse.mockRestore();
});
