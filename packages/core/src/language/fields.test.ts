import { describe, expect, test } from "vitest";
import { describeIssue } from "./describe-issue.ts";
import { id, jsonValue, line, versionNumberText } from "./fields.ts";
import { diffQuery } from "../groups/prompts/compare.ts";
import {
  CommitVersion,
  CreatePrompt,
  CreateWebhook,
  MoveLabel,
  RestoreVersion,
  SaveDraft,
  type Schema,
  UpdateMe,
  UpdatePrompt,
  UpdateWebhook,
  YankVersion,
} from "../index.ts";

const files = [{ path: "PROMPT.md", content: "Hi" }];
const prompt = { kind: "text", title: "Hi", files };
const webhook = { url: "https://receiver.example", events: ["prompt.deleted"] };
/** A field that people write for others to read: its name, its schema, and the other fields that the schema needs. */
type Field = [name: string, schema: Schema<unknown>, others: object];

const lines: Field[] = [
  ["title", CreatePrompt, prompt],
  ["title", UpdatePrompt, {}],
  ["name", UpdateMe, {}],
  ["description", CreateWebhook, webhook],
  ["description", UpdateWebhook, {}],
];
const texts: Field[] = [
  ["summary", CreatePrompt, prompt],
  ["summary", UpdatePrompt, {}],
  ["message", CreatePrompt, prompt],
  ["message", CommitVersion, { files }],
  ["message", RestoreVersion, {}],
  ["message", SaveDraft, { files }],
  ["reason", MoveLabel, { versionNumber: 1 }],
  ["reason", YankVersion, {}],
  ["bio", UpdateMe, {}],
];

const takes = ([name, schema, others]: Field, text: string) =>
  schema.safeParse({ ...others, [name]: text }).success;

describe.each([...lines, ...texts])("%s", (...field) => {
  test.each(["\u001b[2K", "\u0007", "\u009b1A", "\u0085", "\u007f", "\0", "\ud800"])("rejects %j", (text) => {
    expect(takes(field, `a${text}b`)).toBe(false);
  });

  test.each(["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"])(
    "rejects %j, which changes the direction of the text around it",
    (text) => expect(takes(field, `a${text}b`)).toBe(false),
  );

  test.each(["é", "👩‍💻", "שלום\u200f!", "می\u200cخواهم", "a\u00a0b"])("accepts %j", (text) => {
    expect(takes(field, text)).toBe(true);
  });
});

describe.each(["\u200b\u200d", "\u3164", " \u2800 "])("%j", (text) => {
  test.each(lines)("is not a valid %s", (...field) => expect(takes(field, text)).toBe(false));
});

test("a line is trimmed, and only spaces are an empty line", () => {
  expect(line({ max: 5 }).parse(" a\u00a0b\u3000 ")).toBe("a\u00a0b");
  expect(line({ min: 1, max: 5 }).safeParse("   ").success).toBe(false);
});

test("JSON may be 32 levels deep, and no deeper", () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  expect(jsonValue.safeParse(deep(32)).success).toBe(true);
  expect(jsonValue.safeParse(deep(33)).success).toBe(false);
});

describe.each(["\n", "\t", "\r\n", "\u2028", "\u2029"])("%j", (text) => {
  test.each(lines)("is invalid in %s", (...field) => expect(takes(field, `a${text}b`)).toBe(false));
  test.each(texts)("is valid in %s", (...field) => expect(takes(field, `a${text}b`)).toBe(true));
});

test.each([
  ["an id", id("prm"), "must be an id: prm_ and 26 letters and digits"],
  ["the number of a version", versionNumberText, "must be a version number, such as 3"],
  ["the lines around a change", diffQuery.context, "must be a whole number from 0 to 20"],
])("%s that has another form is refused in words", (_, schema, said) => {
  const [issue] = schema.safeParse("x!", { error: describeIssue }).error?.issues ?? [];
  expect(issue?.message).toBe(said);
});
