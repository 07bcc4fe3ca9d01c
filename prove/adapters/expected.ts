const schema = { type: "object", properties: { text: { type: "string" } } };
const search = { name: "search", description: "Searches.", parameters: schema };
const text = '{"text":"hat"}';
const callOf = (id: string) => ({
  id,
  type: "function" as const,
  function: { name: "search", arguments: text },
});
const bytes = "AAAA";
const url = `data:image/png;base64,${bytes}`;
const picture = { type: "image_url", image_url: { url, detail: "low" as const } };
const question = { type: "text", text: "What is this?" };
const system = { role: "system" as const, content: "Be brief." };
const answers = [
  { role: "tool" as const, content: "A hat", tool_call_id: "1" },
  { role: "tool" as const, content: "Two hats", tool_call_id: "2" },
];

/** As `compile` gives it. */
export const prompt = {
  messages: [
    system,
    { role: "user" as const, content: [question, picture] },
    { role: "assistant" as const, content: null, tool_calls: [callOf("1"), callOf("2")] },
    ...answers,
  ],
  tools: [{ type: "function", function: search }],
  config: {
    model: "m-1",
    temperature: 0.5,
    maxTokens: 100,
    stop: "END",
    responseFormat: { type: "json_schema", json_schema: { name: "answer", schema } },
    team: "is no setting of a model",
  },
};

const common = { model: "m-1", temperature: 0.5 };
/** What the AI SDK and LangChain make of a schema. */
const closed = { ...search, parameters: { ...schema, additionalProperties: false } };

/** By the SDK, the body of its request. */
export const expected: Record<string, unknown> = {
  "openai, chat": {
    ...common,
    messages: prompt.messages,
    tools: prompt.tools,
    max_completion_tokens: 100,
    stop: "END",
    response_format: prompt.config.responseFormat,
  },
  "openai, responses": {
    ...common,
    input: [
      system,
      {
        role: "user",
        content: [
          { type: "input_text", text: question.text },
          { type: "input_image", image_url: url, detail: "low" },
        ],
      },
      { type: "function_call", call_id: "1", name: "search", arguments: text },
      { type: "function_call", call_id: "2", name: "search", arguments: text },
      { type: "function_call_output", call_id: "1", output: "A hat" },
      { type: "function_call_output", call_id: "2", output: "Two hats" },
    ],
    tools: [{ type: "function", ...search, strict: false }],
    max_output_tokens: 100,
    text: { format: { type: "json_schema", name: "answer", schema } },
  },
  anthropic: {
    ...common,
    max_tokens: 100,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        content: [
          question,
          { type: "image", source: { type: "base64", media_type: "image/png", data: bytes } },
        ],
      },
      {
        role: "assistant",
        content: ["1", "2"].map((id) => ({ type: "tool_use", id, name: "search", input: { text: "hat" } })),
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "A hat" },
          { type: "tool_result", tool_use_id: "2", content: "Two hats" },
        ],
      },
    ],
    tools: [{ name: "search", description: "Searches.", input_schema: schema }],
    stop_sequences: ["END"],
    output_config: { format: { type: "json_schema", schema } },
  },
  ai: {
    ...common,
    messages: prompt.messages,
    tools: [{ type: "function", function: closed }],
    tool_choice: "auto",
    max_tokens: 100,
    stop: ["END"],
  },
  langchain: {
    ...common,
    messages: prompt.messages.map((message) =>
      message.role === "assistant" ? { ...message, content: "" } : message,
    ),
    tools: prompt.tools,
    max_tokens: 100,
    stop: ["END"],
    stream: false,
  },
};
