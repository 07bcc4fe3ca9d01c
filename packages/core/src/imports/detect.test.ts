import { expect, test } from "vitest";
import { detect, type Detection } from "./detect.ts";
import { ImportError } from "./detector.ts";
import { piecesOf } from "./testing.ts";

const encoder = new TextEncoder();

/** An error is thrown by who reads the file. */
async function detected(files: Record<string, string | Uint8Array | Error>) {
  const bytes = new Map(
    Object.entries(files).map(([path, file]) => [
      path,
      file instanceof Uint8Array ? file : encoder.encode(String(file)),
    ]),
  );
  const read: string[] = [];
  const found: Detection[] = [];
  const source = {
    files: Array.from(bytes, ([path, { length }]) => ({ path, size: length, mode: "100644" as const })),
    async read(path: string) {
      read.push(path);
      if (files[path] instanceof Error) throw files[path];
      return bytes.get(path)!;
    },
    stream: (path: string) => piecesOf(new TextDecoder().decode(bytes.get(path))),
  };
  for await (const one of detect(source)) found.push(one);
  const prompts = found.flatMap((one) => ("prompt" in one ? [one.prompt] : []));
  const refused = found.flatMap((one) => ("refused" in one ? [one.refused] : []));
  return { prompts, refused, read };
}

test("a name in double brackets is a variable in a folder for prompts, and text in other files", async () => {
  const { prompts } = await detected({
    ".cursor/rules/rule.mdc": "See [[name]]",
    "prompts/hello.md": "Hello [[name]]",
    "prompts/literal.md": "---\nvariables: false\n---\nHello [[name]]",
    "prompts/braces.md": "Hello {{name}}, \\{{not}} and [[too]]",
    "prompts/none.md": "---\nvariables: false\n---\nHello {{name}}",
    "skill/SKILL.md": "---\nname: skill\ndescription: Notes\n---\nSee [[name]]",
  });
  const found = prompts.map(({ slug, variables, warnings }) => [
    slug,
    variables.map(({ name }) => name),
    warnings,
  ]);
  expect(found.sort()).toEqual([
    ["braces", ["name", "too"], ["What stood in [[ ]] is a variable now: {{too}}."]],
    ["hello", ["name"], ["What stood in [[ ]] is a variable now: {{name}}."]],
    ["literal", [], []],
    ["none", [], []],
    ["rule", [], []],
    ["skill", [], []],
  ]);
});

test("a folder for prompts may have one about a changelog, beside the changelog of its own", async () => {
  const { prompts } = await detected({
    "prompts/changelog-writer.md": "Write a changelog.",
    "prompts/CHANGELOG.md": "# 1.0",
    "prompts/readme.md": "# Prompts",
  });
  expect(prompts.map(({ sourcePath }) => sourcePath)).toEqual(["prompts/changelog-writer.md"]);
});

test("a skill with a manifest is what the manifest says, and the manifest is no file of it", async () => {
  const manifest = JSON.stringify({ prompt: "ada/pdf", kind: "skill", title: "PDF", tags: ["files"] });
  const { prompts } = await detected({
    "pdf/SKILL.md": skill,
    "pdf/promptreg.json": manifest,
    "pdf/run.py": "print()",
    // Of a file that a tool reads where it is: the file says more.
    "other/SKILL.md": skill.replace("pdf", "other"),
    "other/promptreg.json": "{}",
  });
  expect(
    prompts.map(({ detector, title, tags, taken }) => [detector, title, tags, taken.map(({ path }) => path)]),
  ).toEqual([
    ["agent-skill", "other", [], expect.arrayContaining([])],
    ["prompt-folder", "PDF", ["files"], ["run.py"]],
  ]);
});

const skill = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead.";

test("a skill has the title of its metadata, else its name", async () => {
  const titled = skill.replace("---\nRead", "metadata:\n  title: All about PDF\n---\nRead");
  const { prompts } = await detected({ "a/SKILL.md": titled, "b/SKILL.md": skill });
  expect(prompts.map(({ title }) => title)).toEqual(["All about PDF", "pdf"]);
});

test("a skill takes the files of its folder along, but no skill within it", async () => {
  const { prompts } = await detected({
    "skills/pdf/SKILL.md": skill,
    "skills/pdf/scripts/run.py": "print()",
    "skills/pdf/.claude/commands/x.md": "Not a command of its own",
    "skills/pdf/forms/SKILL.md": skill.replace("pdf", "forms"),
    "skills/pdf/forms/a.md": "A",
    "skills/pdf/node_modules/x/SKILL.md": skill,
    "skills/other.md": "Other",
    "skills/pdf0": "Beside it",
  });
  expect(prompts.map(({ slug, taken }) => [slug, taken.map(({ path }) => path)])).toEqual([
    ["pdf", [".claude/commands/x.md", "scripts/run.py"]],
    ["forms", ["a.md"]],
  ]);
});

test("a file is found by one detector, and read only if one takes it", async () => {
  const { prompts, read } = await detected({
    ".claude/commands/review.md": "Review $ARGUMENTS",
    ".cursor/rules/style.mdc": "Be brief.",
    "prompts/hello.txt": "Hello {{name}}",
    "src/index.ts": "export {};",
    "large.bin": new Uint8Array(10),
  });
  expect(prompts.map(({ detector, slug, kind, sourcePath }) => [detector, slug, kind, sourcePath])).toEqual([
    ["claude-command", "review", "command", ".claude/commands/review.md"],
    ["cursor-rule", "style", "rule", ".cursor/rules/style.mdc"],
    ["text", "hello", "text", "prompts/hello.txt"],
  ]);
  expect(read.sort()).toEqual([".claude/commands/review.md", ".cursor/rules/style.mdc", "prompts/hello.txt"]);
});

test("every prompt has a slug of its own, and fields that the registry takes", async () => {
  const long = "Very long words ".repeat(40);
  const { prompts } = await detected({
    "a/AGENTS.md": `# ${long}\n\nBe kind.`,
    ".cursor/rules/ÄÖÜ été.mdc": `---\ndescription: "${long}"\ntags: [A B, a-b, "日本"]\nlicense: nonsense\n---\nText`,
    ".cursor/rules/日本.mdc": "Text",
    ".cursor/rules/中文.mdc": "Text",
    ".windsurf/rules/a/agents.md": "Text",
  });
  expect(prompts.map(({ slug }) => slug).sort()).toEqual([
    "a-agents",
    "a-agents-2",
    "aou-ete",
    "rule",
    "rule-2",
  ]);
  for (const { title, summary } of prompts) {
    expect(title.length).toBeLessThanOrEqual(120);
    expect(summary?.length ?? 0).toBeLessThanOrEqual(280);
  }
  const rule = prompts.find(({ slug }) => slug === "aou-ete");
  expect(rule).toMatchObject({ tags: ["a-b"], license: null });
  expect(rule?.warnings).toContainEqual('The license is left out: "nonsense" is no SPDX expression.');
});

test("what is of a known format and broken is refused with a sentence, and the rest is found", async () => {
  const { prompts, refused } = await detected({
    "a/SKILL.md": skill.replace("Reads PDF files.", "x".repeat(1_025)),
    "b/SKILL.md": "Text without a description",
    ".cursor/rules/large.mdc": "x".repeat(1_100_000),
    ".cursor/rules/bytes.mdc": new Uint8Array([0xff, 0xfe, 0x00]),
    ".cursor/rules/fine.mdc": "Text",
    "package-lock.json": "x".repeat(1_100_000),
  });
  expect(prompts.map(({ slug }) => slug)).toEqual(["fine"]);
  expect(Object.fromEntries(refused.map(({ sourcePath, reason }) => [sourcePath, reason]))).toEqual({
    "a/SKILL.md": "SKILL.md: description: must have at most 1024 characters, and has 1025.",
    "b/SKILL.md": "The skill has no description.",
    ".cursor/rules/large.mdc": "It is over 1 MiB.",
    ".cursor/rules/bytes.mdc": "It is not UTF-8 text.",
  });
});

test("a text has 1 MiB at most", async () => {
  const { refused } = await detected({
    ".cursor/rules/a.mdc": "x".repeat(1024 ** 2),
    ".cursor/rules/b.mdc": "x".repeat(1024 ** 2 + 1),
  });
  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^RULE\.md /),
    "It is over 1 MiB.",
  ]);
});

test("a file that cannot be unpacked is refused, and a license that cannot be says nothing", async () => {
  const damaged = new ImportError("It is damaged.");
  const { prompts, refused } = await detected({
    LICENSE: damaged,
    ".cursor/rules/a.mdc": "Text",
    ".cursor/rules/b.mdc": damaged,
  });
  expect(prompts).toMatchObject([{ slug: "a", license: null }]);
  expect(refused).toMatchObject([{ sourcePath: ".cursor/rules/b.mdc", reason: "It is damaged." }]);
});

test.each(["LICENSE", ".cursor/rules/a.mdc", "promptreg.json"])(
  "a fault of the source at %s ends the search, since nobody knows what would be missing",
  async (path) => {
    const files = { ".cursor/rules/a.mdc": "Text", [path]: new Error("The disk is broken.") };
    await expect(detected(files)).rejects.toThrow("The disk is broken.");
  },
);

test("titles and summaries are one line that every terminal shows as it is", async () => {
  const { prompts } = await detected({
    "prompts/\u202Egnp.md": "Hi",
    ".claude/commands/a.md": '---\ndescription: "Turns\\u2066 \\e[31mred"\n---\nHi',
  });
  expect(prompts.map(({ title, summary }) => [title, summary])).toEqual([
    ["A", "Turns [31mred"],
    ["gnp", null],
  ]);
});

const mit = "SPDX-License-Identifier: MIT";
const licensesOf = async (files: Record<string, string>) =>
  (await detected(files)).prompts.map(({ sourcePath, license, licenseFrom }) => [
    sourcePath,
    license,
    licenseFrom,
  ]);

test("a prompt that says no license has the one of the nearest license file above it", async () => {
  const files = {
    LICENSE: mit,
    "LICENSE.md": mit,
    "a/prompts/own.md": "Own",
    "a/prompts/LICENSE": "All rights reserved.",
    "b/COPYING.txt": mit.replace("MIT", "ISC"),
    "b/c/prompts/deep.md": "Deep",
    "d/LICENSE-MIT": mit,
    "d/LICENSE-APACHE": mit.replace("MIT", "Apache-2.0"),
    "d/prompts/either.md": "Either",
    "prompts/top.md": "Top",
  };
  expect(await licensesOf(files)).toEqual([
    ["a/prompts/own.md", null, null],
    ["b/c/prompts/deep.md", "ISC", "b/COPYING.txt"],
    ["d/prompts/either.md", null, null],
    ["prompts/top.md", "MIT", "LICENSE"],
  ]);
});

test("other words than a license mean the file beside the prompt, and none further up", async () => {
  const stated = (license: string) => skill.replace("---\nRead", `license: ${license}\n---\nRead`);
  const files = {
    LICENSE: mit,
    "a/SKILL.md": stated("Complete terms in LICENSE.txt"),
    "a/LICENSE.txt": mit.replace("MIT", "Apache-2.0"),
    "b/SKILL.md": stated("Proprietary"),
    "c/SKILL.md": stated("0BSD"),
  };
  expect(await licensesOf(files)).toEqual([
    ["a/SKILL.md", "Apache-2.0", "a/LICENSE.txt"],
    ["b/SKILL.md", null, null],
    ["c/SKILL.md", "0BSD", null],
  ]);
  const [a, b] = (await detected(files)).prompts;
  expect(a?.warnings).toEqual([]);
  expect(b?.warnings).toContain('The license is left out: "Proprietary" is no SPDX expression.');
});

test("a file that is called the same everywhere is named after its folder, or after the project", async () => {
  const { prompts } = await detected({
    "prompts/api/prompt.md": "One.",
    "prompts/prompt.md": "Two.",
    "AGENTS.md": "Three.",
  });
  expect(prompts.map(({ slug, name }) => [slug, name])).toEqual([
    ["agents", null],
    ["api", "api"],
    ["prompt", null],
  ]);
});

test("a mark of a template is named once, where it stands in its file", async () => {
  const { prompts } = await detected({
    "greet.prompty":
      "---\nname: Greet\nmodel:\n  api: chat\n---\nsystem:\nBe kind.\n\nuser:\nHello\n{% for x in all %}{{name}}{% endfor %} <%= other %>\n",
  });
  expect(prompts[0]?.warnings).toEqual([
    "Line 2 of message 2: {% for x in all %} is logic of a template. It stays as text.",
    "Line 2 of message 2: {% endfor %} is logic of a template. It stays as text.",
    expect.stringMatching(/^Line \d+: <%= other %> is a tag of EJS or ERB\./),
    expect.stringContaining("If the text has no variables at all, say so"),
  ]);
});
