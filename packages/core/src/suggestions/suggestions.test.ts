import { entryFiles, type PromptKind } from "../content/kinds.ts";
import { describe, expect, test } from "vitest";
import { type SuggestedField, suggestedFields, suggestedSchemas } from "../groups/suggestions/suggestions.ts";
import { growthOf } from "../testing/growth.ts";
import { heuristic, type Content } from "./index.ts";

const contentOf = (entry: string, path = "PROMPT.md", others: string[] = []): Content => ({
  entry,
  files: [path, ...others].map((one) => ({
    path: one,
    mode: "100644",
    sha256: one === path ? String(entry.length) + entry.slice(-20) : one,
    encoding: "utf8",
  })),
});

async function suggest(
  entry: string,
  {
    kind = "text",
    slug = null,
    before = null,
    others = [],
    tags = {},
  }: {
    kind?: PromptKind;
    slug?: string | null;
    before?: Content | null;
    others?: string[];
    tags?: Record<string, number>;
  } = {},
) {
  const now = contentOf(entry, entryFiles[kind], others);
  const input = {
    kind,
    slug,
    before,
    now,
    fields: suggestedFields,
    hasSecret: false,
    tagCounts: new Map(Object.entries(tags)),
  };
  const made = await heuristic.suggest(input, new AbortController().signal);
  return made?.suggestions ?? {};
}

describe("a title", () => {
  test.each([
    [
      "of the only heading above others",
      "# Reply politely\n\n## Rules\n\nBe brief.\n\n## Tone\n",
      "Reply politely",
    ],
    ["of the frontmatter", "---\ntitle: Reply\n---\n# Something\n", "Reply"],
    [
      "without marks",
      "# **Reply** to `{{customer_name}}` [politely](https://a.example) <b>now</b> ##\n",
      "Reply to customer name politely now",
    ],
    [
      "not of headings that name parts",
      "# IDENTITY and PURPOSE\n\nYou are a math teacher who explains.\n\n# STEPS\n",
      "Math teacher",
    ],
    ["of what an expert is one in", "You are an expert in reviewing contracts.\n", "Reviewing contracts"],
    ["of an order", "Your task is to translate the text.\n", "Translate the text"],
    [
      "of the first words, cut between words",
      `${"Many words stand here and go on and on ".repeat(5)}.`,
      expect.stringMatching(/^Many words (\w+ )+\w+…$/),
    ],
    ["not of code", "```\n# not this\n```\n\nSay hello.\n", "Say hello"],
    ["not of what only holds the mark of code", "Write ``` here.\n\n# Fences\n", "Fences"],
    ["not of what only begins like a heading", "#hash\n\nSay hello.\n", "Say hello"],
    ["of a heading that only ends like a part", "# Sort tasks\n\nBe brief.\n", "Sort tasks"],
    ["of a heading that only begins like a part", "# Tasks sorted\n\nBe brief.\n", "Tasks sorted"],
    ["of a sentence that speaks of a role later", "Never act as a pirate.\n", "Never act as a pirate"],
    ["of a sentence that has an order later", "Now your task is to sing.\n", "Now your task is to sing"],
    [
      "of a line with a comment in it",
      "Say hello <!-- now --> politely.\n",
      expect.stringMatching(/^Say hello/),
    ],
    ["with the names of variables in words", "Write to $user_name.\n", "Write to user name"],
  ])("is that %s", async (_, text, title) => {
    expect((await suggest(text)).title).toEqual(title);
  });

  test("is the name that its author chose, before what a text begins with", async () => {
    expect((await suggest("Say hello.", { slug: "warm-greeting" })).title).toBe("Warm greeting");
    const skill = "---\nname: pdf-forms\ndescription: Fills in forms.\n---\n\nUse it.";
    expect(await suggest(skill, { kind: "skill" })).toMatchObject({
      title: "Pdf forms",
      summary: "Fills in forms.",
      slug: "pdf-forms",
    });
  });
});

test.each(["{", '"text"', "[]", '{"messages": {}}'])(
  "a chat that is none yet says nothing: %s",
  async (text) => {
    expect(await suggest(text, { kind: "chat" })).not.toHaveProperty("summary");
  },
);

describe("a summary", () => {
  test.each([
    [
      "the first sentence",
      "# A\n\n- An item.\n\nThis answers letters of customers who want to know when their clock is ready. More.\n",
      "This answers letters of customers who want to know when their clock is ready.",
    ],
    [
      "two, if the first is short",
      "You are an editor. You mend texts, e.g. letters. And more.\n",
      "You are an editor. You mend texts, e.g. letters. And more.",
    ],
    [
      "the description as far as it fits",
      `---\ndescription: First. ${"Second is long. ".repeat(30)}\n---\nText.`,
      expect.stringMatching(/^First\. (Second is long\. )+Second is long\.$/),
    ],
    ["an item, if there is nothing else", "- Answer letters\n- Be brief\n", "Answer letters"],
    [
      "what a chat says",
      JSON.stringify({ messages: [{ role: "system", content: "Answer {{who}}." }] }),
      "Answer who.",
    ],
  ])("is %s", async (what, text, summary) => {
    const kind = what === "what a chat says" ? "chat" : "text";
    expect((await suggest(text, { kind })).summary).toEqual(summary);
  });
});

describe("tags", () => {
  const text =
    "# Review of code\n\nReview the code of a pull request for security, and say what a test lacks.\n\n- Tests\n- Code\n";

  test("are first those that others use, in their spelling, the rarer before the usual", async () => {
    const { tags } = await suggest(text, { tags: { tests: 40, security: 900, code: 2 } });
    expect(tags?.slice(0, 2)).toEqual(["code", "tests"]);
    expect(tags).toContain("security");
  });

  test("are few new ones, and no usual words", async () => {
    const { tags = [] } = await suggest(text);
    expect(tags.length).toBeLessThanOrEqual(3);
    expect(tags).toEqual(expect.arrayContaining(["review", "code"]));
    const tools = "Docker, kubernetes, terraform, nginx, redis";
    expect((await suggest(`# ${tools}\n\n${tools}.\n\n${tools}.\n`)).tags).toHaveLength(3);
  });
});

describe("a message", () => {
  test.each([
    ["First version", null, "Hi", []],
    ["Change PROMPT.md: add variable agent", "Hi", "Hi {{agent}}", []],
    ["Change PROMPT.md: remove variables a, b", "{{a}} {{b}}", "none", []],
    ["Change PROMPT.md: add variables a, b, c", "Hi", "Hi {{a}} {{b}} {{c}}", []],
    ["Change PROMPT.md: add 4 variables", "Hi", "Hi {{a}} {{b}} {{c}} {{d}}", []],
    ["Add a.md; add b.md; add c.md", "Hi", "Hi", ["a.md", "b.md", "c.md"]],
    ["Change PROMPT.md: add section Tone", "Hi\n", "Hi\n# Tone\n", []],
    ["Change PROMPT.md: write “Be brief.”", "Hi\n", "Hi\nBe brief.\n", []],
    ["Change PROMPT.md: remove “Be brief.”", "Hi\nBe brief.\n", "Hi\n", []],
    ["Change PROMPT.md: write “Ho”; add a.md", "Hi", "Ho", ["a.md"]],
    [
      "Add a.md; add b.md; add c.md; change 2 more files",
      "Hi",
      "Hi",
      ["a.md", "b.md", "c.md", "d.md", "e.md"],
    ],
    [undefined, "Hi", "Hi", []],
  ])("is %s", async (message, before, now, others) => {
    expect((await suggest(now, { others, before: before === null ? null : contentOf(before) })).message).toBe(
      message,
    );
  });
});

/** What a hostile text repeats. */
const hostile = {
  word: "a",
  words: "ab cd ",
  headings: "# x\n",
  marks: "*",
  brackets: "[",
  links: "[a](b",
  tags: "<a",
  variables: "{{a}}",
  dollars: "${a",
  lines: "\n",
  dots: "a.",
  surrogates: "\ud800",
  fences: "```\n",
  comments: "<!--",
  turned: "# \u202e\u2066\u0000\u200b\n\u2028",
  frontmatter: "---\na: [",
  tables: "a|",
  hyphens: "a-",
  addresses: "https://",
  items: "- a\n",
  spaces: "# a ",
};

describe("a hostile text", () => {
  test.each(Object.entries(hostile))(
    "of %s gets nothing that breaks the rules of a field",
    async (_, unit) => {
      const made = await suggest(unit.repeat((256 * 1024) / unit.length), { before: contentOf("Hi") });
      const isBroken = (field: SuggestedField) =>
        made[field] !== undefined && !suggestedSchemas[field].safeParse(made[field]).success;
      expect(suggestedFields.filter(isBroken)).toEqual([]);
    },
  );

  test.each(Object.entries(hostile))(
    "of %s costs as much as it is long",
    { tags: "long" },
    async (_, unit) => {
      const before = contentOf("Hi");
      const work = (length: number) => {
        const text = unit.repeat(length / unit.length);
        return () => suggest(text, { before });
      };
      expect(await growthOf(work)).toBeUndefined();
    },
  );
});
