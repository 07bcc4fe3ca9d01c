import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import * as fields from "./language/fields.ts";
import { formatKinds, formatNames } from "./formats/names.ts";
import { putSection, readSection } from "./formats/section.ts";
import { writeOne } from "./formats/testing-readers.ts";
import { compareVariables } from "./content/compare-variables.ts";
import { findChanges, splitLines } from "./content/diff-lines.ts";
import { readEntry } from "./content/entry.ts";
import { entryFiles, type PromptKind, promptKinds } from "./content/kinds.ts";
import { pathProblems } from "./content/paths.ts";
import { readJson, readYamlFile } from "./content/plain-data.ts";
import { parsePlace } from "./imports/place.ts";
import { foundIn } from "./imports/testing.ts";
import { comparableText } from "./imports/text/fingerprint.ts";
import { licenseOf } from "./imports/text/license.ts";
import { NearIndex } from "./imports/text/near.ts";
import { rewritePlaceholders, type Syntax } from "./imports/text/placeholders.ts";
import { findSecrets } from "./imports/text/secrets.ts";
import { markReaders } from "./imports/text/syntaxes.ts";
import { parseRange, parseRef } from "./language/refs.ts";
import { csvRows } from "./rows/index.ts";
import { splitFrontmatter } from "./template/frontmatter.ts";
import { placeholders, render } from "./template/render.ts";
import type { Variable } from "./template/variable.ts";
import { verify } from "./webhooks/index.ts";
import {
  complaintAbout,
  growthOf,
  type HostileText,
  hostileTexts,
  isThorough,
  write,
} from "./testing/growth.ts";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** Every regular expression of a package, where it stands, as a literal. */
function* patternsOf(name: string): Generator<{ place: string; pattern: RegExp }> {
  const folder = join(packages, name, "src");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /\.test\.ts$|(^|\/)(testing|fixtures|generated)/.test(file)) continue;
    const source = ts.createSourceFile(
      file,
      readFileSync(join(folder, file), "utf8"),
      ts.ScriptTarget.Latest,
    );
    const found: ts.RegularExpressionLiteral[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) found.push(node);
      ts.forEachChild(node, visit);
    };
    visit(source);
    for (const { text } of found) {
      const end = text.lastIndexOf("/");
      const pattern = new RegExp(text.slice(1, end), `${text.slice(end + 1).replace("g", "")}g`);
      yield { place: `${name}/src/${file}: ${text}`, pattern };
    }
  }
}

/** Texts of what a pattern is made of: its characters, each two of them, and its words. */
function textsFor({ source }: RegExp): HostileText[] {
  const classes: [RegExp, string][] = [
    [/\\s/, " \n"],
    [/\\S|\[\^|\./, "x"],
    [/\\d|0-9/, "1"],
    [/\\w|\\p\{[LN]|a-z|A-Z/, "a"],
    [/\\p\{M/, "\u0301"],
    [/\\[nr]/, "\n\r"],
    [/\\t/, "\t"],
  ];
  const named = classes.flatMap(([one, characters]) => (one.test(source) ? Array.from(characters) : []));
  const plain = source.replace(/\\[a-zA-Z](\{[^}]*\})?|\(\?[:=!<]*/g, "").replace(/\\(?=.)/g, "");
  const characters = [...new Set([...named, ...Array.from(plain)])].slice(0, 12);
  const pairs = characters.flatMap((one) => characters.map((other) => one + other));
  const words = [...source.matchAll(/[A-Za-z_<>`"'!@#{}%&=:;,./-]{3,}/g)].slice(0, 6).map(([one]) => one);
  const starts = ["", ...(isThorough ? characters.slice(0, 2) : [])];
  return [...new Set([...characters, ...pairs, ...words])].flatMap((again) =>
    starts.map((start) => ({ start, again, end: "\u0001" })),
  );
}

/** What most texts pass at once, for the price of a few microseconds. */
const isSuspicious = (pattern: RegExp, text: HostileText): boolean =>
  [400, 1_600].some((length) => {
    const short = write(text, length);
    const took = () => {
      const startedMs = performance.now();
      short.replace(pattern, "");
      return performance.now() - startedMs;
    };
    return took() > 0.2 && took() > 0.2;
  });

/** As the entry file of a kind comes in. */
function enter(kind: PromptKind, content: string) {
  const bytes = new TextEncoder().encode(content);
  const file = { path: entryFiles[kind], mode: "100644" as const, content, bytes, size: bytes.length };
  return readEntry(kind, [{ ...file, sha256: "", mediaType: "", encoding: "utf8" }], "x");
}

const kinds = promptKinds.filter((kind) => kind !== "chat");
const about = (text: string) =>
  `---\ntitle: ${JSON.stringify(text)}\nglobs: ${JSON.stringify([text])}\n---\nHi`;
const chat = (...texts: string[]) =>
  JSON.stringify({ messages: texts.map((content) => ({ role: "user", content })) });
const paths = `
  a.md a.txt README.md SKILL.md AGENTS.md a.json a.jsonl a.csv a.prompt a.prompty a.prompt.yml conversations.json
  promptfooconfig.yaml .claude/commands/a.md .claude/agents/a.md .cursor/rules/a.mdc .github/prompts/a.prompt.md
  .gemini/commands/a.toml .opencode/command/a.md .continue/prompts/a.md
`
  .trim()
  .split(/\s+/);

/** What reads a stranger's text, whole. */
const readers: Record<string, (text: string) => unknown> = {
  ...Object.fromEntries(
    formatNames.flatMap((name) => {
      const kind = formatKinds[name].find((one) => one !== "chat");
      return kind === undefined
        ? [[`written for ${name}`, (text) => writeOne(name, chat(text), "chat")]]
        : [[`written for ${name}`, (text) => writeOne(name, text, kind)]];
    }),
  ),
  ...Object.fromEntries(kinds.map((kind) => [`the entry of a ${kind}`, (text) => enter(kind, text)])),
  "globs of a rule": (text) => writeOne("cursor-rule", about(text), "rule"),
  "the entry of a chat": (text) => enter("chat", chat(text)),
  "its frontmatter": (text) => enter("text", `---\n${text}\n---\nHi`),
  "the parts of a file": (text) => splitFrontmatter(`---\n${text}`),
  YAML: (text) => readYamlFile(text),
  JSON: readJson,
  "its placeholders": placeholders,
  "what is filled in": (text) => render(text, [], {}, { strict: false }),
  "a value": (text) => render("{{a}}", [{ name: "a", type: "text" } as Variable], { a: text }),
  "its lines": (text) => findChanges(splitLines(text), splitLines(`x\n${text.slice(1)}`)),
  "what is equal": (text) => comparableText("text", text),
  "what is nearly equal": (text) => new NearIndex().add("a", comparableText("text", text)),
  "a section": (text) => [putSection(text, "a/b", "x"), readSection(text, "a/b")],
  "its secrets": findSecrets,
  "a licence": licenseOf,
  "a place": (text) => parsePlace(text),
  "a place below a host": (text) => parsePlace(`https://github.com/${text}`),
  "a ref": parseRef,
  "a range": parseRange,
  "paths of files": (text) => pathProblems([text]),
  "rows of CSV": (text) => [...csvRows().add(text, { isLast: true })],
  "a signed event": (text) => verify(text, text, "whsec_a"),
  ...Object.fromEntries(
    (Object.keys(markReaders) as Syntax[]).map((syntax) => [
      `the placeholders of ${syntax}`,
      (text) => rewritePlaceholders(text, syntax),
    ]),
  ),
  ...Object.fromEntries(paths.map((path) => [`the import of ${path}`, (text) => foundIn(path, text)])),
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      "safeParse" in field ? [[`a field: ${name}`, (text: string) => field.safeParse(text)]] : [],
    ),
  ),
};

describe("no text costs more than its length:", () => {
  test.each(["core", "client", "server", "cli"])("patterns of %s", async (name) => {
    const complaints: Record<string, string> = {};
    for (const { place, pattern } of patternsOf(name)) {
      const suspicious = textsFor(pattern).filter((text) => isSuspicious(pattern, text));
      const complaint = await complaintAbout((text) => text.replace(pattern, ""), suspicious);
      if (complaint !== undefined) complaints[place] = complaint;
    }
    expect(complaints).toEqual({});
  });

  test("placeholders below a long key of a chat", async () => {
    const chatOf = (length: number) =>
      JSON.stringify({
        messages: [{ role: "user", content: "Hi", ["k".repeat(length)]: Array(length).fill("{{a}}") }],
      });
    expect(await growthOf((length) => () => enter("chat", chatOf(length)))).toBeUndefined();
  });

  test("options of a variable", async () => {
    const choice = (options: string[]) => ({ name: "a", type: "enum", options }) as Variable;
    const optionsOf = (length: number) => Array.from({ length }, (_, n) => String(n));
    const compared = (length: number) => () =>
      compareVariables([choice(optionsOf(length))], [choice(optionsOf(length).reverse())]);
    expect(await growthOf(compared)).toBeUndefined();
  });

  test("messages of a chat", async () => {
    const chatOf = (length: number) => chat(...Array.from({ length }, () => "Hi"));
    expect(await growthOf((length) => () => enter("chat", chatOf(length)))).toBeUndefined();
  });

  /** The long form has each reader read all texts. Readers share much: the short form gives each a third of them, in turn. */
  const textsInTurn = (place: number) =>
    hostileTexts.filter((_, nth) => isThorough || (nth + place) % 3 === 0);

  // What reads YAML costs as much as YAML.
  const ofYaml = /^(its frontmatter|the import of .*\.ya?ml)$/;
  for (const [place, [name, read]] of Object.entries(readers).entries())
    test(`reading ${name}`, ofYaml.test(name) ? { tags: "long" } : {}, async () => {
      const tried = async (text: string) => {
        try {
          await read(text);
        } catch {
          // To refuse it is an answer.
        }
      };
      expect(await complaintAbout(tried, textsInTurn(place))).toBeUndefined();
    });
});
