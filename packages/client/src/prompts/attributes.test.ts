import { expect, test } from "vitest";
import { clientOf, down, resolvedTo, seconds, serve, stubRegistry } from "../../test/registry-stub.ts";
import { promptAttributes } from "../index.ts";

stubRegistry();

test("attributes of a span name the prompt, its version, its label and its source, and nothing of its text", async () => {
  const client = clientOf({});
  serve(resolvedTo(3));
  const prompt = client.prompt("ada/reply@production");
  expect(promptAttributes(await prompt.get())).toEqual({
    "gen_ai.prompt.name": "ada/reply",
    "gen_ai.prompt.version": "3",
    "promptreg.prompt.label": "production",
    "promptreg.prompt.source": "network",
  });
  expect(promptAttributes(await prompt.get())["promptreg.prompt.source"]).toBe("memory");
});

test("attributes of a fallback have no version, and those of a version no label", async () => {
  const client = clientOf({});
  serve(down);
  seconds(120);
  const byLabel = await client.prompt("ada/none", { fallback: "Hello" }).get();
  expect(promptAttributes(byLabel)).toEqual({
    "gen_ai.prompt.name": "ada/none",
    "promptreg.prompt.label": "latest",
    "promptreg.prompt.source": "fallback",
  });
  const pinned = await client.prompt("ada/none@2", { fallback: "Hello" }).get();
  expect(promptAttributes(pinned)).not.toHaveProperty("promptreg.prompt.label");
});
