import { fitForProse } from "@promptreg/core";
import MarkdownIt, { type StateCore, type Token } from "markdown-it";
import { articleRule, isOurs, isPicture } from "./article.ts";

/** The number of this renderer. Raise it with whatever changes its html: the worker then renders stored texts anew. */
export const renderer = 4;

/** Where links may lead. What leads elsewhere is no link, and stays as it was written. */
const linkable = /^(?:https?:\/\/|mailto:)/i;

/** What a link says of itself, since anybody may have written it. */
const rel = "nofollow ugc noopener";

/** The name of a language, for those who highlight code. */
const language = /^[\w.+#-]{1,40}(?!\S)/;

/** What the parser may spend on a text. */
class Budget {
  /** Elements and pieces of text. A few characters may ask for many: for the empty cells of a table. */
  tokens: number;
  /** Characters of addresses and titles: a reference repeats them. */
  addresses: number;

  constructor(times: number) {
    this.tokens = 7_000 * times;
    this.addresses = 50_000 * times;
  }

  spend(of: "tokens" | "addresses", amount: number): void {
    this[of] -= amount;
    if (this[of] < 0) throw new RangeError(`too many ${of}`);
  }
}

/** The most that a text may cost, counted before it is parsed: one for each mark, and more for what is dear. */
const mostCost = 3_500;
/** The parser tries all its rules at each of these characters. */
const marks = /[\n!#$%&*+:<=>@[\\\]^_`{}~|-]/g;
/** Images are looked for up to the end of their paragraph, and addresses are taken apart. */
const dear = /!\[|:\/\//g;
const costOf = (text: string): number =>
  text.length - text.replace(marks, "").length + 4 * (text.split(dear).length - 1);

/** Whether a text is rendered at once: another one takes a thread, which can be ended. */
export const isCheap = (text: string): boolean => costOf(text) <= mostCost;

/** What a text is: a comment or the like; or an article, with pictures of ours, and headings that can be linked to. */
export type TextKind = "note" | "article";

interface Env {
  budget: Budget;
}
const budgetOf = (env: object) => (env as Env).budget;

/** Far more than texts for readers have: a list in a list is two. */
const maxNesting = 60;

function parserOf(kind: TextKind) {
  const md = new MarkdownIt({ html: kind === "article", linkify: true, maxNesting });
  // Addresses in full, and nothing that only looks like one, such as `notes.md`.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  md.validateLink = (address) => linkable.test(address) || (kind === "article" && isOurs(address));
  md.block.State = class extends md.block.State {
    override push(type: string, tag: string, nesting: Token["nesting"]): Token {
      budgetOf(this.env).spend("tokens", 1);
      // The parser would leave out all that follows.
      if (this.level >= maxNesting - 1) throw new RangeError("too deep");
      return super.push(type, tag, nesting);
    }
  };
  md.inline.State = class extends md.inline.State {
    override push(type: string, tag: string, nesting: Token["nesting"]): Token {
      budgetOf(this.env).spend("tokens", 1);
      return super.push(type, tag, nesting);
    }
  };
  if (kind === "article") md.core.ruler.push("article", articleRule);
  md.core.ruler.push("attributes", attributesRule);
  return md;
}

/** Decides about all attributes that leave, but those of an article's headings and pictures. */
function attributesRule(state: StateCore): void {
  for (const token of state.tokens) {
    if (token.type === "fence") token.info = language.exec(token.info)?.[0] ?? "";
    const style = token.attrGet("style");
    if (style !== null) token.attrs = [["align", `${style}`.replace("text-align:", "")]];
    if (token.children) token.children = linksOf(token.children, state);
    for (const { type, attrs } of token.children ?? []) {
      if (type !== "link_open" || attrs === null) continue;
      for (const [, value] of attrs) budgetOf(state.env).spend("addresses", String(value).length);
      attrs.push(["rel", rel]);
    }
  }
}

/**
 * Turns images into links that lead to them, or into their descriptions where these stand in a link. Pictures of ours stay in an article. A
 * link that leads nowhere, or stands in another one, leaves its text.
 */
function linksOf(tokens: readonly Token[], { Token, md, env }: StateCore): Token[] {
  /** Of the links around a token, whether each leaves. */
  const around: boolean[] = [];
  return tokens.flatMap((token) => {
    if (token.type === "link_open") {
      const isLeaving = token.attrGet("href") !== "" && !around.includes(true);
      around.push(isLeaving);
      return isLeaving ? [token] : [];
    }
    if (token.type === "link_close") return around.pop() ? [token] : [];
    if (token.type !== "image" || isPicture(token)) return [token];
    const { src = "", alt: _, ...title } = Object.fromEntries(token.attrs ?? []);
    const text = new Token("text", "", 0);
    text.content = md.renderer.renderInlineAsText(token.children ?? [], md.options, env) || String(src);
    if (around.includes(true) || !linkable.test(String(src))) return [text];
    const open = new Token("link_open", "a", 1);
    open.attrs = Object.entries({ href: src, ...title });
    return [open, text, new Token("link_close", "a", -1)];
  });
}

const parsers = { note: parserOf("note"), article: parserOf("article") };

/** A text as it was written, where it is too much for the parser. */
export const renderPlain = (text: string): string =>
  fitForProse(`<pre>\n${parsers.note.utils.escapeHtml(text)}</pre>\n`);

/** Renders Markdown as HTML. Whatever the text is, its HTML is safe in a page. What is not cheap takes as long as it takes. */
export function renderFully(text: string, kind: TextKind): string {
  // What is cheap has what it ever had; what is long, in proportion.
  const budget = new Budget(isCheap(text) ? 1 : Math.ceil(text.length / 5_000));
  try {
    return fitForProse(parsers[kind].render(text, { budget }));
  } catch {
    return renderPlain(text);
  }
}

/** Renders a cheap text of Markdown; another one stays as it was written. Takes time that grows as the text does. */
export const renderMarkdown = (text: string, kind: TextKind = "note"): string =>
  isCheap(text) ? renderFully(text, kind) : renderPlain(text);
