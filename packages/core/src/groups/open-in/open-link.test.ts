import { describe, expect, test } from "vitest";
import { formatKinds } from "../../formats/names.ts";
import { promptKinds } from "../../content/kinds.ts";
import { isLinkTo, linkTo } from "./open-link.ts";
import { kindsOfTool, maxOpenUrlLength, modeOfTool, openTargetIds, openTool } from "./open-targets.ts";

const file = "https://registry.example/api/v1/prompts/ada/review/download?format=";
const about = { kind: "text", slug: "review", fileUrl: (format: string) => `${file}${format}` } as const;
const withLinks = openTargetIds.filter((id) => modeOfTool(openTool(id)) !== "copy");
const filled = withLinks.filter((id) => modeOfTool(openTool(id)) === "prefill");
const hostile = "a b+c&d=e#f?g%h\n\"'<>`|\\^{}[]é日本🎉";

describe("the links", () => {
  test.each(filled)("to %s carry any text whole, with %%20 and never a +", (id) => {
    for (const kind of promptKinds) {
      const { mode, url } = linkTo(id, { ...about, kind, text: hostile });
      expect(mode).toBe("prefill");
      expect(url).toMatch(/^[\w.!~*'():/?=&%-]+$/);
      expect(url).toContain("a%20b%2Bc%26d");
      expect([...new URL(url).searchParams.values()].at(-1)).toBe(hostile);
    }
  });

  test("to Cursor are for a rule or a command a file with a name", () => {
    const url = (kind: "rule" | "command") => linkTo("cursor", { ...about, kind, text: "Hi" }).url;
    expect(url("rule")).toBe("cursor://anysphere.cursor-deeplink/rule?name=review&text=Hi");
    expect(url("command")).toBe("cursor://anysphere.cursor-deeplink/command?name=review&text=Hi");
  });

  test("to VS Code name the file in the format of the kind, whatever the length of the text", () => {
    const { url, mode } = linkTo("vscode", { ...about, kind: "rule", text: "x".repeat(100_000) });
    expect(mode).toBe("install");
    expect(url).toBe(
      `vscode:chat-instructions/install?url=${encodeURIComponent(`${file}copilot-instructions`)}`,
    );
    const { formats = {} } = openTool("vscode");
    const kinds = kindsOfTool(openTool("vscode"));
    expect(kinds).toEqual(["text", "skill", "agent", "rule", "command"]);
    for (const kind of kinds) expect(formatKinds[formats[kind]!]).toContain(kind);
  });

  test("keep half a character from breaking them", () => {
    expect(linkTo("claude", { ...about, text: "a\ud800b" }).url).toBe("https://claude.ai/new?q=a%EF%BF%BDb");
  });
});

describe("a text that is too long for a link", () => {
  test.each(filled.filter((id) => id !== "claude-code"))("is pasted: %s", (id) => {
    const empty = linkTo(id, { ...about, text: "" }).url.length;
    const fits = "é".repeat(Math.floor((maxOpenUrlLength - empty) / 6));
    const [last, first] = [fits, `${fits}é`].map((text) => linkTo(id, { ...about, text }));
    expect(last?.mode).toBe("prefill");
    expect(maxOpenUrlLength - last!.url.length).toBeLessThan(6);
    expect(first).toEqual({ mode: "copy", url: openTool(id).page });
  });

  test("is longer than the longest link", () => {
    const room = maxOpenUrlLength - linkTo("claude", { ...about, text: "" }).url.length;
    const modes = [room, room + 1].map(
      (length) => linkTo("claude", { ...about, text: "x".repeat(length) }).mode,
    );
    expect(modes).toEqual(["prefill", "copy"]);
  });

  test("is measured by characters too where the tool does", () => {
    const modes = [5_000, 5_001].map(
      (length) => linkTo("claude-code", { ...about, text: "x".repeat(length) }).mode,
    );
    expect(modes).toEqual(["prefill", "copy"]);
  });

  test.each(["gemini", "opencode"] as const)("and any other is pasted into %s", (id) => {
    expect(linkTo(id, { ...about, text: "Hi" })).toEqual({ mode: "copy", url: openTool(id).page });
  });
});

describe("a link of a registry", () => {
  test.each(openTargetIds)(
    "to %s is known as one that this table makes, and as that of no other scheme",
    (id) => {
      for (const kind of kindsOfTool(openTool(id))) {
        const { url } = linkTo(id, { ...about, kind, text: hostile });
        expect(isLinkTo(id, url)).toBe(true);
      }
      expect(isLinkTo(id, openTool(id).page)).toBe(true);
      for (const other of [
        "",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://evil.example/?q=a",
        "-a",
      ])
        expect(isLinkTo(id, other)).toBe(false);
    },
  );

  test("has as many characters as a link may have", () => {
    const page = "https://claude.ai/new?q=";
    const lengths = [maxOpenUrlLength, maxOpenUrlLength + 1];
    expect(lengths.map((length) => isLinkTo("claude", page.padEnd(length, "a")))).toEqual([true, false]);
  });

  test.each([
    ["claude", "https://claude.ai/new?q=a&send=true"],
    ["claude", "https://claude.ai/new?q=a b"],
    ["claude", "https://claude.ai.evil.example/new?q=a"],
    ["claude", "https://claude.ai@evil.example/new?q=a"],
    ["claude", "HTTPS://claude.ai/new?q=a"],
    ["claude", "https://claude.ai/new?q=a%0"],
    ["claude", `https://claude.ai/new?q=${"a".repeat(maxOpenUrlLength)}`],
    ["claude", "claude-cli://open?q=a"],
    ["claude-code", "claude-cli://open?q=a&cwd=%2Ftmp"],
    ["cursor", "cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=b"],
    ["cursor", "cursor://anysphere.cursor-deeplink/rule?name=a%2F..&text=b"],
    ["cursor", "cursor://anysphere.cursor-deeplink/rule?name=&text=b"],
    ["vscode", "vscode:mcp/install?a"],
    ["vscode", "vscode:extension/evil.evil"],
    ["opencode", "opencode://new-session?directory=%2F&prompt=a"],
  ] as const)("to %s is refused: %s", (id, url) => {
    expect(isLinkTo(id, url)).toBe(false);
  });
});
