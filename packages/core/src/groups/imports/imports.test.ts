import { expect, test } from "vitest";
import { importNotifications } from "./notifications.ts";

test.each([
  [0, "Your import found no prompts", "Its warnings may say why nothing of notes.md is one."],
  [1, "Your import is ready: 1 prompt found", "Choose from notes.md within 7 days."],
  [2, "Your import is ready: 2 prompts found", "Choose from notes.md within 7 days."],
])("an import that found %i prompts says so", (detected, title, body) => {
  const ready = { id: "imp_1", label: "notes.md", detected, url: "https://a.example" };
  expect(importNotifications["import.ready"](ready)).toEqual({
    title,
    body,
    url: "https://a.example",
    target: { type: "import", id: "imp_1" },
  });
});
