import { expect, test } from "vitest";
import { schemaNotes, summaries } from "./summaries.ts";

test("comments of the contract are the documentation of operations, parameters and fields", () => {
  expect(summaries["prompts.labels.put"].summary).toBe("Creates a label, or moves it to another version.");
  expect(summaries["prompts.get"].query).toHaveProperty("version");
  expect(schemaNotes["Manifest"]?.fields).toHaveProperty("prompt");
});
