import { describe, expect, test } from "vitest";
import {
  clientOf,
  down,
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
    const tools = [{ type: "function", function: { name: "search" } }];
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
    serve(() => version(chat));
    const history = [{ role: "user", content: "Hi" }];
    const compiled = await clientOf()
      .prompt("ada/chat@1")
      .compile({ tone: "brief" }, { messages: { history } });
    expect(compiled).toMatchObject({
      tools,
      messages: [{ role: "system", content: "Be brief." }, ...history],
    });
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
