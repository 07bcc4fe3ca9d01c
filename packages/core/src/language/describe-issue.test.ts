import { expect, test } from "vitest";
import * as z from "zod";
import { CreatePrompt, describeIssue, type Schema } from "../index.ts";
import { repeatable } from "./list.ts";

const messagesOf = (schema: Schema<unknown>, value: unknown) =>
  schema
    .safeParse(value, { error: describeIssue })
    .error?.issues.map(({ path, message }) => [path.join("."), message]);

test("an issue of a schema is the end of a sentence", () => {
  const prompt = { kind: "txt", slug: "A b", summary: 1, tags: "x", license: "MIT", files: [] };
  expect(messagesOf(CreatePrompt, prompt)).toEqual([
    ["kind", "must be one of: text, chat, media, skill, agent, rule, command"],
    ["title", "is missing"],
    ["summary", "must be text"],
    ["tags", "must be a list"],
    ["slug", "must be lower-case letters and digits, joined by single hyphens"],
    ["files", "must not be empty"],
  ]);
});

test("a bound without more is the last that is valid", () => {
  const issue = { code: "too_small", origin: "number", minimum: 1, input: 0 };
  expect(describeIssue(issue as never)).toBe("must be 1 or more");
});

test.each([
  [z.int(), 1.5, "must be a whole number"],
  [z.boolean(), 1, "must be true or false"],
  [z.record(z.string(), z.number()), 1, "must be an object"],
  [z.number().min(1), 0, "must be 1 or more"],
  [z.number().max(1), 2, "must be 1 or less"],
  [z.number().positive(), 0, "must be more than 0"],
  [z.string().min(2), "a", "must have at least 2 characters"],
  [z.array(z.int()).max(1), [1, 2], "must have at most 1 item, and has 2"],
  [z.literal("a"), "b", "must be a"],
  [z.string().regex(/a/), "b", "does not have the form that it must have"],
  [z.union([z.int(), z.boolean()]), "b", "has none of the forms that it can have"],
  [repeatable(z.enum(["a", "b"])), "c", "must be one of: a, b"],
  [repeatable(z.enum(["a", "b"])), ["a", "c"], "must be one of: a, b"],
  [repeatable(z.string().min(2)), "a", "must have at least 2 characters"],
  [z.union([z.literal("a"), z.int()]), "b", "has none of the forms that it can have"],
  [z.strictObject({}), { a: 1, b: 2 }, "must not have a, b"],
  [z.string().refine(() => false), "b", "is not what it must be"],
])("%# has a message of its own", (schema, value, message) => {
  expect(messagesOf(schema, value)).toEqual([["", message]]);
});
