import { describe, expect, test } from "vitest";
import { generateTextParams } from "./ai.ts";
import { messageParams } from "./anthropic.ts";
import { chatModelParams } from "./langchain.ts";
import { chatCompletionParams, responseParams } from "./openai.ts";

// What the SDKs make of it is in `npm run prove -- adapters`.
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

describe("what a prompt gives an SDK", () => {
  test.each(Object.entries(all))("is no setting that the prompt does not have: %s", (_name, adapt) => {
    const text = JSON.stringify(
      adapt(promptOf([user], { config: { team: "a", max_tokens: 1, modality: "audio" } })),
    );
    expect(text).not.toMatch(/team|max_tokens|modality|null/);
  });

  test("names a format where the prompt does", () => {
    const prompt = promptOf([user], { config: { responseFormat: "json_object" } });
    expect(chatCompletionParams(prompt).response_format).toEqual({ type: "json_object" });
    expect(responseParams(prompt).text).toEqual({ format: { type: "json_object" } });
    expect(messageParams(prompt).output_config).toBeUndefined();
  });

  test("holds tools in the form of any SDK, and those of a provider as they are", () => {
    const input_schema = { type: "object", properties: {} };
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

  test("has the messages of the system apart where the SDK wants that, wherever they stand", () => {
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
  });

  test("leaves what a conversation brought from the SDK as it came", () => {
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

  test("holds texts and images of an answer of a tool, and how closely to look", () => {
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

  test("puts nothing between the parts of a text", () => {
    const content = [text("A "), text("hat")];
    const said = promptOf([{ role: "assistant", content }]);
    expect(responseParams(said).input).toEqual([{ role: "assistant", content: "A hat" }]);
    const { messages } = generateTextParams(promptOf([{ role: "tool", tool_call_id: "1", content }]));
    expect(messages).toMatchObject([{ content: [{ output: { type: "text", value: "A hat" } }] }]);
  });

  test.each(Object.entries({ responseParams, messageParams, generateTextParams }))(
    "is no empty turn, and a refusal is one: %s",
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

  test("names what ends an answer as each of LangChain's models does", () => {
    const { settings } = chatModelParams(promptOf([user], { config: { stop: "END" } }));
    expect(settings).toEqual({ stop: ["END"], stopSequences: ["END"] });
  });

  test("takes an image from the web too", () => {
    const url = "https://example.com/hat.png";
    const prompt = promptOf([{ role: "user", content: [{ type: "image_url", image_url: { url } }] }]);
    expect(messageParams(prompt).messages[0]?.content).toEqual([
      { type: "image", source: { type: "url", url } },
    ]);
    expect(generateTextParams(prompt).messages[0]?.content).toEqual([{ type: "image", image: url }]);
  });

  test.each(Object.entries({ responseParams, messageParams, generateTextParams }))(
    "is refused where an answer does not say what it answers: %s",
    (_name, adapt) => {
      expect(() => adapt(promptOf([{ role: "tool", content: "A hat" }]))).toThrow("needs tool_call_id");
    },
  );

  test.each(Object.entries({ messageParams, generateTextParams }))(
    "is refused where the arguments of a call are broken: %s",
    (_name, adapt) => {
      const tool_calls = [{ id: "1", type: "function", function: { name: "look", arguments: '{"a' } }];
      expect(() => adapt(promptOf([{ role: "assistant", content: "", tool_calls }]))).toThrow(
        "The arguments of a call of look are not JSON.",
      );
    },
  );
});
