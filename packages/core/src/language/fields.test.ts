import { describe, expect, test } from "vitest";
import { describeIssue } from "./describe-issue.ts";
import {
  day,
  id,
  jsonObject,
  jsonValue,
  labelName,
  line,
  moment,
  ref,
  slug,
  timestamp,
  versionNumberText,
  webUrl,
} from "./fields.ts";
import { collectedTarget } from "../groups/collections/collected.ts";
import { changeRequestAddress, versionAddress } from "../groups/comments/discussed.ts";
import { diffQuery } from "../groups/prompts/compare.ts";
import { reportedTarget } from "../groups/reports/reported.ts";
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

test("JSON has finite numbers and texts that can be stored, and an object is no list", () => {
  const takesEach = (schema: Schema<unknown>, values: unknown[]) =>
    values.map((value) => schema.safeParse(value).success);
  const stored = [{}, { a: [null, true, 1.5, "é"] }];
  const not = [{ "a\0": 1 }, { a: ["\ud800"] }, { a: Number.POSITIVE_INFINITY }];
  for (const schema of [jsonValue, jsonObject]) {
    expect(takesEach(schema, stored)).not.toContain(false);
    expect(takesEach(schema, not)).not.toContain(true);
  }
  expect(takesEach(jsonValue, [null, "a", 1, []])).not.toContain(false);
  expect(takesEach(jsonValue, [undefined, "a\0", Number.NaN])).not.toContain(true);
  expect(takesEach(jsonObject, [null, "a", 1, []])).not.toContain(true);
});

test("a time is taken with any offset, in a year of four digits, and a day from 2000", () => {
  expect(moment.parse("2026-11-20T09:30+02:00")).toBe("2026-11-20T07:30:00.000Z");
  expect(moment.parse("0001-01-01T00:00:00Z")).toBe("0001-01-01T00:00:00.000Z");
  for (const outside of [
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:00-00:01",
    "0000-01-01T00:00:00+00:01",
  ])
    expect(moment.safeParse(outside).success).toBe(false);
  expect(["2000-01-01", "1999-12-31"].map((text) => day.safeParse(text).success)).toEqual([true, false]);
});

test.each([
  ["2026-11-20T09:30:00 02:00", true],
  ["2026-11-20 09:30", false],
  ["The 20th, 09:30 02:00 or so", false],
])("%s was a plus that is not encoded: %s", (text, isHinted) => {
  const [issue] = moment.safeParse(text, { error: describeIssue }).error?.issues ?? [];
  expect(issue?.message.includes("%2B")).toBe(isHinted);
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

const post = `pst_${"0".repeat(26)}`;
const refs = ["ada/reply", "ada-b/r-2-d"];
const noRefs = ["/reply", "ada-/reply", "ada/", "ada/reply-"];
const numbered = (mark: string) => refs.map((one) => `${one}${mark}3`);
const notNumbered = (mark: string) => noRefs.map((one) => `${one}${mark}3`);

test.each<[string, Schema<unknown>, valid: string[], not: string[]]>([
  ["a slug", slug, ["reply", "r-2-d"], ["", "reply-", "-reply", "re--ply"]],
  ["a ref", ref, refs, noRefs],
  ["a label", labelName, ["production", "v1.2_rc-1"], ["", "v1.", "v1..2"]],
  ["the number of a version", versionNumberText, ["1", "999999999"], ["", "0", "01", "1000000000"]],
  ["a time that is told", timestamp, ["2026-11-20T09:30:00.000Z"], ["2026-11-20T09:30:00Z"]],
  ["a link", webUrl, ["https://a.example", "http://a.example/b?c#d"], ["https://", "https:///b"]],
  ["a version", versionAddress, numbered("@"), notNumbered("@")],
  ["a change request", changeRequestAddress, numbered("!"), notNumbered("!")],
  [
    "what is collected",
    collectedTarget,
    [...refs.map((one) => `prompt:${one}`), "make:a-1", `post:${post}`],
    [...noRefs.map((one) => `prompt:${one}`), "make:", "make:a-"],
  ],
  ["what is reported", reportedTarget, ["prompt:ada/reply", "user:ada"], ["prompt:", "user"]],
  ["the lines around a change", diffQuery.context, ["0", "19", "20"], ["", "21", "30", "020"]],
])("%s is valid as a whole, with nothing before or behind it", (_, schema, valid, not) => {
  const isValid = (text: string) => schema.safeParse(text).success;
  expect(valid.filter((text) => !isValid(text))).toEqual([]);
  expect(not.filter(isValid)).toEqual([]);
  expect(valid.flatMap((text) => [` ${text}`, `${text} `]).filter(isValid)).toEqual([]);
});
