import { expect, test } from "vitest";
import { promptIn, said, versionOf } from "../testing.ts";

const system = "# IDENTITY and PURPOSE\n\nYou sum up.\n\n# INPUT\n\nINPUT:\n";

test("a pattern is a chat: its system message, the beginning of the user's, and what is piped in", async () => {
  const draft = await promptIn("data/patterns/sum_up/system.md", system, {
    "data/patterns/sum_up/user.md": "CONTENT:\n",
  });
  expect(draft).toMatchObject({ kind: "chat", name: "sum_up", title: "Sum up", warnings: [] });
  expect(said(draft, { input: "Text" })).toEqual([
    { role: "system", text: system.trim() },
    { role: "user", text: "CONTENT:\n\nText" },
  ]);
});

test.each([
  ["no user.md", {}],
  ["an empty one", { "patterns/x/user.md": "\n" }],
])("with %s the user says what is piped in alone", async (_, others) => {
  const draft = await promptIn("patterns/x/system.md", "Be {{role}}.", others);
  expect(said(draft, { input: "Text", role: "kind" })).toEqual([
    { role: "system", text: "Be kind." },
    { role: "user", text: "Text" },
  ]);
});

test("that has a place for the input itself gets no second one", async () => {
  const draft = await promptIn("patterns/x/system.md", "Sum up {{ input }}.");
  expect(versionOf(draft).variables.map(({ name }) => name)).toEqual(["input"]);
  expect(said(draft, { input: "it" })).toEqual([{ role: "system", text: "Sum up it." }]);
});

test("may be written in capitals, and have the place for the input in the user's part", async () => {
  const draft = await promptIn("patterns/x/SYSTEM.md", "Be kind.", {
    "patterns/x/user.md": "Read {{input}}.",
  });
  expect(said(draft, { input: "it" })).toEqual([
    { role: "system", text: "Be kind." },
    { role: "user", text: "Read it." },
  ]);
});
