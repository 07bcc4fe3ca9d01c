import { describe, expect, test } from "vitest";
import { generateTextParams } from "./ai.ts";
import { messageParams } from "./anthropic.ts";
import { chatModelParams } from "./langchain.ts";
import { chatCompletionParams, responseParams } from "./openai.ts";

// `npm run prove -- adapters` checks what the SDKs do with it.
const promptOf = (
  messages: unknown[],
  { config = {}, tools = [] }: { config?: object; tools?: object[] } = {},
) => ({
  messages,
  config,
  tools,
});
const user = { role: "user", content: "Hi" };
const text = (text: string) => ({ type: "text", text });
const all = { chatCompletionParams, responseParams, messageParams, generateTextParams, chatModelParams };

describe("the parameters for an SDK", () => {
  test.each(Object.entries(all))("contain no setting that the prompt does not have: %s", (_name, adapt) => {
    const text = JSON.stringify(
      adapt(promptOf([user], { config: { team: "a", max_tokens: 1, modality: "audio" } })),
    );
    expect(text).not.toMatch(/team|max_tokens|modality|null/);
  });

  test("name a response format if the prompt does", () => {
    const prompt = promptOf([user], { config: { responseFormat: "json_object" } });
    expect(chatCompletionParams(prompt).response_format).toEqual({ type: "json_object" });
    expect(responseParams(prompt).text).toEqual({ format: { type: "json_object" } });
    expect(messageParams(prompt).output_config).toBeUndefined();
  });

  test("contain tools in the form of the SDK, and a provider's own tools unchanged", () => {
    const input_schema = { type: "object", properties: { at: { type: ["string", "null"], default: null } } };
    const tools = [
      { name: "look", input_schema },
      { type: "web_search_20250305", name: "web_search" },
    ];
    const prompt = promptOf([user], { tools });
    expect(messageParams(prompt).tools).toEqual(tools);
    expect(chatCompletionParams(prompt).tools).toEqual([
      { type: "function", function: { name: "look", parameters: input_schema } },
      tools[1],
    ]);
    expect(Object.keys(generateTextParams(prompt).tools ?? {})).toEqual(["look"]);
  });

  test("separate system messages if the SDK wants that, wherever they stand", () => {
    const prompt = promptOf([
      { role: "system", content: [{ type: "text", text: "A", cache_control: { type: "ephemeral" } }] },
      user,
      { role: "developer", content: "B" },
    ]);
    const { system, messages } = messageParams(prompt);
    expect(system).toEqual([
      { type: "text", text: "A", cache_control: { type: "ephemeral" } },
      { type: "text", text: "B" },
    ]);
    expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    expect(generateTextParams(prompt).system).toBe("A\n\nB");
    const one = promptOf([{ role: "system", content: "A" }, user]);
    expect([messageParams(one).system, generateTextParams(one).system]).toEqual([[text("A")], "A"]);
  });

  test("keep messages unchanged that already have the SDK's form", () => {
    const use = { type: "tool_use", id: "1", name: "look", input: {} };
    const result = { type: "tool_result", tool_use_id: "1", content: "A hat" };
    const turns = [
      { role: "assistant", content: [use] },
      { role: "user", content: [result] },
    ];
    expect(messageParams(promptOf(turns)).messages).toEqual(turns);
    const item = { type: "function_call", call_id: "1", name: "look", arguments: "{}" };
    const content = [{ type: "refusal", refusal: "No." }];
    const message = { id: "msg_1", type: "message", role: "assistant", status: "completed", content };
    expect(responseParams(promptOf([item, message])).input).toEqual([item, message]);
    const answer = { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "look" }] };
    const cached = { ...user, content: [text("Hi")], providerOptions: { anthropic: { cacheControl: {} } } };
    expect(generateTextParams(promptOf([answer, cached])).messages).toEqual([answer, cached]);
  });

  test("have the results of several tools in one turn for Anthropic", () => {
    const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: id });
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: id });
    const { messages } = messageParams(promptOf([user, answer("1"), answer("2"), user, answer("3")]));
    expect(messages.map(({ content }) => content)).toEqual([
      [text("Hi")],
      [result("1"), result("2")],
      [text("Hi")],
      [result("3")],
    ]);
  });

  test("contain the texts and images of a tool's result, and the detail of an image", () => {
    const url = "https://example.com/hat.png";
    const image_url = { url, detail: "low" };
    const content = [text("A "), text("hat"), { type: "image_url", image_url }];
    const prompt = promptOf([{ role: "tool", tool_call_id: "1", content }]);
    expect(responseParams(prompt).input).toMatchObject([
      {
        output: [
          { type: "input_text", text: "A " },
          { type: "input_text", text: "hat" },
          { type: "input_image", image_url: url, detail: "low" },
        ],
      },
    ]);
    const image = { type: "image", source: { type: "url", url } };
    expect(messageParams(prompt).messages).toMatchObject([
      { content: [{ content: [text("A "), text("hat"), image] }] },
    ]);
    const providerOptions = { openai: { imageDetail: "low" } };
    const value = [text("A "), text("hat"), { type: "image-url", url, providerOptions }];
    expect(generateTextParams(prompt).messages).toMatchObject([
      { content: [{ output: { type: "content", value } }] },
    ]);
    const shown = promptOf([{ role: "user", content: content.slice(2) }]);
    expect(generateTextParams(shown).messages[0]?.content).toEqual([
      { type: "image", image: url, providerOptions },
    ]);
  });

  test("join the parts of a text without a separator", () => {
    const content = [text("A "), text("hat")];
    const said = promptOf([{ role: "assistant", content }]);
    expect(responseParams(said).input).toEqual([{ role: "assistant", content: "A hat" }]);
    const { messages } = generateTextParams(promptOf([{ role: "tool", tool_call_id: "1", content }]));
    expect(messages).toMatchObject([{ content: [{ output: { type: "text", value: "A hat" } }] }]);
  });

  test.each(Object.entries({ responseParams, messageParams, generateTextParams }))(
    "leave out an empty turn, and keep a refusal: %s",
    (_name, adapt) => {
      const silent = [
        { role: "assistant", content: "" },
        { role: "assistant", content: [text("")] },
      ];
      const params = adapt(promptOf([user, ...silent, { role: "assistant", content: null, refusal: "No." }]));
      const turns = "input" in params ? params.input : params.messages;
      expect(turns).toHaveLength(2);
      expect(JSON.stringify(turns[1])).toContain("No.");
    },
  );

  test("name stop sequences as each of LangChain's models does", () => {
    const { settings } = chatModelParams(promptOf([user], { config: { stop: "END" } }));
    expect(settings).toEqual({ stop: ["END"], stopSequences: ["END"] });
  });

  test("accept an image from the web", () => {
    const url = "https://example.com/hat.png";
    const prompt = promptOf([{ role: "user", content: [{ type: "image_url", image_url: { url } }] }]);
    expect(messageParams(prompt).messages[0]?.content).toEqual([
      { type: "image", source: { type: "url", url } },
    ]);
    expect(generateTextParams(prompt).messages[0]?.content).toEqual([{ type: "image", image: url }]);
  });

  test.each([
    ["data:image/png;base64,QUJD\n", "QUJD\n"],
    ["data:;base64,QUJD", undefined],
    ["see data:image/png;base64,QUJD", undefined],
  ])("have the bytes of an image that is in its address: %j", (url, data) => {
    const image = { type: "image_url", image_url: url };
    const prompt = promptOf([{ role: "tool", tool_call_id: "1", content: [image] }]);
    const source =
      data === undefined ? { type: "url", url } : { type: "base64", media_type: "image/png", data };
    expect(messageParams(prompt).messages).toMatchObject([{ content: [{ content: [{ source }] }] }]);
    const shown =
      data === undefined ? { type: "image-url", url } : { type: "image-data", mediaType: "image/png", data };
    expect(generateTextParams(prompt).messages).toMatchObject([
      { content: [{ output: { type: "content", value: [shown] } }] },
    ]);
    expect(responseParams(prompt).input).toMatchObject([
      { output: [{ type: "input_image", image_url: url, detail: "auto" }] },
    ]);
  });

  test("have the calls of a model, each answer with the name of its call", () => {
    const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "" } });
    const tool_calls = [call("1", "look"), call("2", "listen")];
    const answer = { role: "tool", tool_call_id: "2", content: "A hat" };
    const prompt = promptOf([{ role: "assistant", content: null, tool_calls }, answer], {
      tools: [{ type: "function", name: "look" }],
    });
    expect(responseParams(prompt).input).toEqual([
      { type: "function_call", call_id: "1", name: "look", arguments: "" },
      { type: "function_call", call_id: "2", name: "listen", arguments: "" },
      { type: "function_call_output", call_id: "2", output: "A hat" },
    ]);
    expect(generateTextParams(prompt).messages[1]?.content).toMatchObject([
      { type: "tool-result", toolCallId: "2", toolName: "listen" },
    ]);
    expect(messageParams(prompt).tools).toEqual([
      { name: "look", input_schema: { type: "object", properties: {} } },
    ]);
  });

  test.each(Object.entries({ responseParams, messageParams, generateTextParams }))(
    "need the call id of a tool's result: %s",
    (_name, adapt) => {
      expect(() => adapt(promptOf([{ role: "tool", content: "A hat" }]))).toThrow("needs tool_call_id");
    },
  );

  test.each(Object.entries({ messageParams, generateTextParams }))(
    "need arguments of a call that are valid JSON: %s",
    (_name, adapt) => {
      const tool_calls = [{ id: "1", type: "function", function: { name: "look", arguments: '{"a' } }];
      expect(() => adapt(promptOf([{ role: "assistant", content: "", tool_calls }]))).toThrow(
        "The arguments of a call to look are not JSON.",
      );
    },
  );
});
