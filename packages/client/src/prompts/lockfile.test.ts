import { describe, expect, test } from "vitest";
import {
  clientOf,
  down,
  lockfile,
  refused,
  requests,
  resolvedTo,
  seconds,
  serve,
  stubRegistry,
} from "../../test/registry-stub.ts";
import { NotLockedError, readLockfile } from "../index.ts";

stubRegistry();

describe("during an outage", () => {
  test("a cache entry is served, else the lockfile", async () => {
    serve(down);
    const client = clientOf({ cache: { lockfile } });
    const prompt = client.prompt("ada/reply@production", { fallback: "Hello {{name}}" });
    expect(await prompt.get()).toMatchObject({ source: "lockfile", version: 7, staleReason: "unreachable" });
    serve(resolvedTo(8));
    seconds(1);
    expect((await prompt.get()).version).toBe(8);
    serve(down);
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ source: "memory", version: 8 });
  });

  test("a handle with `locked` serves only the lockfile", async () => {
    const client = clientOf({ cache: { lockfile } });
    const { text } = await client.prompt("ada/reply@production", { locked: true }).compile({ name: "Ada" });
    expect(text).toBe("Locked, Ada.");
    await expect(client.prompt("ada/other", { locked: true }).get()).rejects.toThrow(NotLockedError);
    expect(requests).toHaveLength(0);
  });

  test.each([
    ["a text", "Hello {{name}}", "Hello Ada"],
    ["the messages of a chat", [{ role: "system" as const, content: "Be {{name}}." }], "Be Ada."],
    ["a function", () => "Lazy {{name}}", "Lazy Ada"],
  ])("a fallback is the last resort: %s", async (_, fallback, text) => {
    serve(refused(503, "unavailable"));
    const compiled = await clientOf().prompt("ada/reply", { fallback }).compile({ name: "Ada" });
    expect(compiled.text).toBe(text);
    expect(compiled.prompt).toMatchObject({ source: "fallback", version: null, staleReason: "server_error" });
  });

  test("a fallback may use fewer values than the prompt, but needs all that it uses", async () => {
    serve(down);
    const prompt = clientOf().prompt("ada/reply", { fallback: "Hello {{name}}" });
    expect((await prompt.compile({ name: "Ada", tone: "warm" })).text).toBe("Hello Ada");
    await expect(prompt.compile({ tone: "warm" })).rejects.toMatchObject({ missing: ["name"] });
  });

  test("the error is thrown if there is nothing to serve", async () => {
    serve(refused(503, "unavailable"));
    await expect(clientOf().prompt("ada/reply").get()).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("a lockfile", () => {
  test("is parsed, also after the mark with which some editors begin a file", () => {
    const marked = { ...lockfile, note: "A mark: \ufeff." };
    const text = JSON.stringify(marked);
    for (const beginning of ["", "\ufeff"]) expect(readLockfile(beginning + text)).toEqual(marked);
  });

  test.each([
    ["an unfinished merge", "<<<<<<< ours\n{}", "unfinished merge"],
    ["of a later version", '{"lockfileVersion":2,"prompts":{}}', "not version 1"],
    ["null", "null", "not version 1"],
    ["without prompts", '{"lockfileVersion":1}', "not version 1"],
    ["with nothing as its prompts", '{"lockfileVersion":1,"prompts":null}', "not version 1"],
  ])("that is %s is rejected, with advice", (_, text, message) => {
    expect(() => readLockfile(text)).toThrow(message);
  });
});
