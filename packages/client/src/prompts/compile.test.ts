import { describe, expect, test } from "vitest";
import { generateTextParams } from "../adapters/ai.ts";
import { messageParams } from "../adapters/anthropic.ts";
import { chatModelParams } from "../adapters/langchain.ts";
import { chatCompletionParams, responseParams } from "../adapters/openai.ts";
import {
  clientOf,
  down,
  lockfile,
  requests,
  resolvedTo,
  serve,
  stubRegistry,
  version,
  versionOf,
} from "../../test/registry-stub.ts";

stubRegistry();

describe("a compiled prompt", () => {
  test("has its text, its messages, its config and the prompt that was served", async () => {
    serve(resolvedTo(1));
    const compiled = await clientOf().prompt("ada/reply@production").compile({ name: "Ada" });
    expect(compiled).toMatchObject({
      text: "Version 1 for Ada.",
      messages: [{ role: "user", content: "Version 1 for Ada." }],
      config: { model: "m" },
      tools: [],
      prompt: { version: 1 },
    });
  });

  test("has the tools of a chat, and inserts the caller's messages", async () => {
    const tools = [{ type: "function", function: { name: "search", description: "A mark: \ufeff." } }];
    const messages = [
      { role: "system", content: "Be {{tone}}." },
      { type: "placeholder", name: "history" },
    ];
    const chat = {
      ...versionOf(1),
      entry: "CHAT.json",
      files: [{ path: "CHAT.json", encoding: "utf8", content: JSON.stringify({ messages, tools }) }],
      variables: [],
    };
    serve(() => version(chat, { ref: "ada/chat" }));
    const history = [{ role: "user", content: "Hi" }];
    const compiled = await clientOf()
      .prompt("ada/chat@1")
      .compile({ tone: "brief" }, { messages: { history } });
    expect(compiled).toMatchObject({
      tools,
      messages: [{ role: "system", content: "Be brief." }, ...history],
    });
  });

  const shared = {
    ...versionOf(1),
    entry: "CHAT.json",
    config: {
      model: "m",
      stop: ["END"],
      responseFormat: { type: "json_schema", json_schema: { schema: {} } },
    },
    files: [
      {
        path: "CHAT.json",
        encoding: "utf8",
        content: JSON.stringify({
          messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache: { ttl: 1 } }] }],
          tools: [
            { type: "function", function: { name: "look", parameters: { type: "object" } } },
            { type: "web" },
          ],
        }),
      },
    ],
    variables: [],
  };
  /** Changes all objects and lists in a value. */
  function spoil(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    Object.values(value).forEach(spoil);
    Object.assign(value, Array.isArray(value) ? { [value.length]: "spoilt" } : { spoilt: true });
  }

  test.each([chatCompletionParams, responseParams, messageParams, generateTextParams, chatModelParams])(
    "can be changed as parameters of an SDK, and the next one is as before: %o",
    async (adapt) => {
      serve(() => version(shared, { ref: "ada/chat" }));
      const prompt = clientOf().prompt("ada/chat@1");
      const compiled = await prompt.compile();
      const before = JSON.stringify([adapt(compiled), compiled]);
      spoil(adapt(compiled));
      spoil(compiled.messages);
      const next = await prompt.compile();
      expect(JSON.stringify([adapt(next), { ...next, prompt: compiled.prompt }])).toBe(before);
      expect(requests).toHaveLength(1);
    },
  );

  test("is frozen where it is shared with others, from the network and the lockfile", async () => {
    serve(resolvedTo(1));
    const handle = clientOf().prompt("ada/reply@production");
    const locked = clientOf({ cache: { lockfile } }).prompt("ada/reply@production", { locked: true });
    for (const prompt of [await handle.get(), await handle.get(), await locked.get()]) {
      expect(() => spoil(prompt.content)).toThrow(TypeError);
      expect(() => Object.assign(prompt, { version: 2 })).toThrow(TypeError);
    }
  });

  test("rejects a missing or unknown variable, by name", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await expect(prompt.compile({ nmae: "Ada" })).rejects.toMatchObject({
      code: "missing_variables",
      missing: ["name"],
      unknown: ["nmae"],
    });
    expect((await prompt.compile({}, { strict: false })).missing).toEqual(["name"]);
  });

  test("from a fallback may use fewer variables than were given, but not more, unless strict is false", async () => {
    serve(down);
    const prompt = clientOf().prompt("ada/reply@production", { fallback: "Hello {{name}}." });
    expect((await prompt.compile({ name: "Ada", tone: "warm" })).text).toBe("Hello Ada.");
    for (const options of [{}, { strict: true }])
      await expect(prompt.compile({}, options)).rejects.toMatchObject({
        code: "missing_variables",
        missing: ["name"],
      });
    expect((await prompt.compile({}, { strict: false })).missing).toEqual(["name"]);
  });
});
