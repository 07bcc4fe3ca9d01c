import type { PromptKind } from "../content/kinds.ts";
import { readJson, readYaml } from "../content/plain-data.ts";
import { isObject, textIn } from "../imports/foreign/values.ts";
import { splitFrontmatter } from "../template/frontmatter.ts";
import { readTemplate } from "../template/render.ts";
import { templatesOf } from "../template/version.ts";

/** What an entry file says of itself, however broken it is. */
export interface ReadText {
  /** Of its frontmatter. */
  title: string | null;
  name: string | null;
  description: string | null;
  headings: Heading[];
  /** Paragraphs of sentences, without markup; then the items of lists. */
  paragraphs: string[];
}

interface Heading {
  level: number;
  text: string;
}

/** How much of a text is read, and how long a line of it may be: nobody says late what a text is about. */
const mostCharacters = 65_536;
const mostLines = 3_000;
const mostInLine = 4_000;
const mostFrontmatter = 16_384;

/** Reads the entry file of a kind. Its time grows with the length of the text alone. */
export function readText(kind: PromptKind, entry: string): ReadText {
  const { yaml, body } = kind === "chat" ? { yaml: null, body: textOfChat(entry) } : splitFrontmatter(entry);
  const read = yaml === null || yaml.length > mostFrontmatter ? null : readYaml(yaml, 1);
  const data = read !== null && "value" in read && isObject(read.value) ? read.value : {};
  return {
    title: textIn(data["title"]),
    name: textIn(data["name"]),
    description: textIn(data["description"]),
    ...readMarkdown(body.slice(0, mostCharacters)),
  };
}

/** What the messages of a chat say, one below the other. What is no chat yet says nothing. */
function textOfChat(entry: string): string {
  const read = entry.length > 4 * mostCharacters ? null : readJson(entry);
  const messages = read !== null && "value" in read && isObject(read.value) ? read.value["messages"] : null;
  if (!Array.isArray(messages)) return "";
  return messages.flatMap((message) => (isObject(message) ? templatesOf(message) : [])).join("\n\n");
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})[ \t]+(\S.*)/;
const item = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s+(\S.*)/;
/** Rules, commands of templates, comments, pictures and lines that are one tag. */
const noSentence = /^(?:[-=*_]{3,}$|\{[%#]|<!--|<\/?[\w:-]{1,40}[^<>]{0,200}>$|@\w|!\[|\$\{)/;

/** Whether a line is a part of what people read sentence by sentence. */
const isSentence = (line: string): boolean =>
  line !== "" && !noSentence.test(line) && line.split("|", 3).length < 3;

function readMarkdown(body: string): Pick<ReadText, "headings" | "paragraphs"> {
  const headings: Heading[] = [];
  const sentences: string[] = [];
  const items: string[] = [];
  let open: string | null = null;
  let isComment = false;
  let lines: string[] = [];
  const end = () => {
    const text = plain(lines.join(" "));
    if (/\p{L}/u.test(text)) sentences.push(text);
    lines = [];
  };
  for (const line of body.split(/\r?\n|\r/, mostLines).map((one) => one.slice(0, mostInLine))) {
    const [, mark] = fence.exec(line) ?? [];
    if (open !== null) {
      if (mark?.startsWith(open)) open = null;
      continue;
    }
    if (isComment || /^\s*<!--/.test(line)) {
      isComment = !line.includes("-->");
      continue;
    }
    if (mark !== undefined) {
      end();
      open = mark;
      continue;
    }
    const [, level = "", title] = heading.exec(line) ?? [];
    const [, listed] = item.exec(line) ?? [];
    if (title !== undefined) {
      end();
      headings.push({ level: level.length, text: plain(title.replace(/[ \t]#+[ \t]*$/, "")) });
    } else if (listed !== undefined) {
      end();
      items.push(plain(listed));
    } else if (!isSentence(line.trim())) end();
    else lines.push(line);
  }
  end();
  return { headings, paragraphs: [...sentences, ...items.filter((text) => /\p{L}/u.test(text))] };
}

/** A text without the marks of Markdown, HTML and templates: of a variable its name stays, in words. */
export function plain(text: string): string {
  return readTemplate(text)
    .map((piece) => (typeof piece === "string" ? piece : piece.name.replaceAll("_", " ")))
    .join("")
    .replace(/\{[%#][^{}]{0,500}[%#]\}|<\/?[a-zA-Z][^<>]{0,300}>|!\[[^[\]]{0,300}\]\([^()]{0,500}\)/g, " ")
    .replace(/\[([^[\]]{1,300})\](?:\([^()]{0,500}\))?/g, "$1")
    .replace(/\$\{?(?:[\w.]{1,60}:)?([A-Za-z_]\w{0,60})\}?|[{}]/g, (_, name = "") =>
      name.replaceAll("_", " "),
    )
    .replace(/(?<![\p{L}\p{N}])[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}(?![\p{L}\p{N}])|`+|^>+\s*/gu, "")
    .replace(/https?:\/\/\S{1,500}|www\.\S{1,500}/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
