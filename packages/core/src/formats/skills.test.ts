import { parseFrontmatter, validateMetadata } from "skills-ref";
import { describe, expect, test } from "vitest";
import { writeFormat } from "./index.ts";
import { entryOf, readMarkdown, textOf, writeOne } from "./testing-readers.ts";
import { sourceOf } from "./testing.ts";

const script = { path: "scripts/run.sh", mode: "100755" as const, content: "#!/bin/sh\r\necho hi  " };
const image = { path: "logo é.png", mode: "100644" as const, content: new Uint8Array([137, 80, 0, 255]) };

describe("a skill", () => {
  test("keeps its files byte for byte, in a folder that has its own name", () => {
    const entry = entryOf(
      "skill",
      "---\r\nname: other-name\r\ndescription: |\r\n  Two\r\n---\r\nText {{x}} \\{{  \n\n",
    );
    for (const name of ["agent-skill", "claude-skill"] as const) {
      const { files } = writeFormat(
        name,
        sourceOf("skill", { text: String(entry.content), files: [entry, script, image] }),
      );
      const folder = name === "agent-skill" ? ".agents/skills/other-name" : "other-name";
      expect(files).toEqual([
        { ...entry, path: `${folder}/SKILL.md` },
        { ...image, path: `${folder}/logo é.png` },
        { ...script, path: `${folder}/scripts/run.sh` },
      ]);
    }
  });

  test.for(["text", "agent", "rule", "command"] as const)(
    "made of a %s is one for the validator of the standard",
    (kind) => {
      for (const summary of ["x".repeat(280), "Says --- and: <b>", null]) {
        const { files } = writeFormat("agent-skill", sourceOf(kind, { summary }));
        const [data] = parseFrontmatter(textOf(files, ".agents/skills/pr-review/SKILL.md"));
        expect(validateMetadata(data, "pr-review")).toEqual([]);
        expect(data).toMatchObject({ license: "MIT", metadata: { source: "alice/pr-review", version: "3" } });
        expect(files.map(({ path }) => path)).toContain(".agents/skills/pr-review/reference/style.md");
      }
    },
  );

  test("made of another kind has a description of at most 1,024 characters", () => {
    const text = `---\ndescription: ${"long words ".repeat(200)}\n---\nText`;
    const { data } = readMarkdown(writeOne("agent-skill", text, "command").text);
    expect(String(data["description"]).length).toBeLessThanOrEqual(1024);
    expect(data["description"]).toMatch(/words?…$/);
  });

  test("made of another kind names its variables, and says where the values are", () => {
    const { text } = writeOne("agent-skill", "Review {{diff}} for {{team}}. Write \\{{x}}.");
    expect(readMarkdown(text).body).toBe(
      "Find the values of <diff>, <team> in the request. Ask for those that are missing and have no default.\n\nReview <diff> for <team>. Write {{x}}.\n",
    );
  });

  test.for(["skill.md", "SKILL.md"])(
    "made of another kind takes the place of a %s beside the entry",
    (path) => {
      const files = [entryOf("rule", "Be strict."), { path, mode: "100644" as const, content: "x" }];
      const written = writeFormat("agent-skill", sourceOf("rule", { text: "Be strict.", files }));
      expect(written.files.map((file) => file.path)).toEqual([".agents/skills/pr-review/SKILL.md"]);
      expect(written.warnings).toEqual(["Its own SKILL.md is left out. The skill has its place."]);
    },
  );

  test("for an upload to Claude has no reserved word in its name, and no tags in its description", () => {
    const name = (slug: string) => () => writeFormat("claude-skill", sourceOf("text", { slug }));
    for (const slug of ["claude-tips", "my-anthropic"])
      expect(name(slug)).toThrow(expect.objectContaining({ code: "format_not_supported" }));
    const tagged = "---\nname: tags\ndescription: Uses <b>tags</b>\n---\nText";
    expect(() => writeOne("claude-skill", tagged, "skill")).toThrow(
      expect.objectContaining({ code: "format_not_supported" }),
    );
    expect(writeOne("agent-skill", tagged, "skill").text).toBe(tagged);
    expect(writeOne("claude-skill", tagged.replace("<b>tags</b>", "a <> b"), "skill").warnings).toEqual([]);
    for (const [summary, description] of [
      ["Uses <b>tags</b>", "Uses btags/b"],
      ["< >", "pr-review"],
      ["a <> b", "a  b"],
    ] as const) {
      const { files } = writeFormat("claude-skill", sourceOf("text", { summary }));
      expect(readMarkdown(textOf(files, "pr-review/SKILL.md")).data["description"]).toBe(description);
    }
  });

  test.for(["con", "nul", "aux", "lpt1"])("has no name that Windows reserves: %s", (name) => {
    const text = `---\nname: ${name}\ndescription: b\n---\nDo`;
    for (const format of ["agent-skill", "claude-skill"] as const)
      for (const source of [sourceOf("skill", { text }), sourceOf("text", { slug: name })])
        expect(() => writeFormat(format, source)).toThrow(
          expect.objectContaining({
            code: "format_not_supported",
            message: expect.stringContaining("another name"),
          }),
        );
  });

  test("as a manifest for VS Code names the address of each text", () => {
    const entry = entryOf("skill", "---\nname: other-name\ndescription: Does it\n---\n");
    const odd = { path: "a b/ü#?.md", mode: "100644" as const, content: "x" };
    const { files, warnings } = writeFormat(
      "vscode-skill-manifest",
      sourceOf("skill", { text: String(entry.content), files: [entry, odd, image] }),
    );
    const url = "https://prompts.example/api/v1/prompts/alice/pr-review/raw";
    expect(JSON.parse(textOf(files, "other-name.json"))).toEqual({
      name: "other-name",
      files: [
        { source: `${url}/SKILL.md?version=3`, destination: "SKILL.md" },
        { source: `${url}/a%20b/%C3%BC%23%3F.md?version=3`, destination: "a b/ü#?.md" },
      ],
    });
    expect(warnings).toHaveLength(1);
  });

  test("made of another kind says what its variables can be", () => {
    const declared =
      "---\nvariables:\n  - { name: tone, type: enum, options: [calm, brief], default: calm }\n---\nBe {{tone}} to {{name}}.";
    expect(readMarkdown(writeOne("agent-skill", declared).text).body).toContain(
      "Find the values of <tone> (calm or brief, otherwise calm), <name> in the request.",
    );
  });

  test("that runs commands is refused, unless it is a command or was written as a skill", () => {
    const text = "Look at !`git status`.";
    for (const kind of ["text", "rule", "agent"] as const)
      expect(() => writeOne("agent-skill", text, kind)).toThrow(
        expect.objectContaining({ code: "format_unsafe" }),
      );
    const hooks = `---\nname: a\ndescription: b\nhooks: {}\n---\n${text}`;
    expect(writeOne("agent-skill", text, "command").warnings).toHaveLength(1);
    expect(writeOne("agent-skill", hooks, "skill").warnings).toEqual([
      "A tool such as Claude Code runs the shell commands in the text (line 6): !`git status`.",
      "Claude Code runs the hooks in its frontmatter.",
    ]);
    expect(writeOne("agent-skill", "Read @src/a.ts", "rule").warnings).toHaveLength(1);
    const tools = "---\nname: a\ndescription: b\nallowed-tools: Bash(*)\n---\nDo";
    expect(writeOne("agent-skill", tools, "skill").warnings).toEqual([
      "Claude Code does not ask before it uses the tools that the skill names.",
    ]);
  });
});
