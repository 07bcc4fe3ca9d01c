import { fitForProse } from "@promptreg/core";
import MarkdownIt, { type StateCore, type Token } from "markdown-it";

/** The number of this renderer. Raise it with whatever changes its html: the worker then renders stored texts anew. */
export const renderer = 2;

/** Where links may lead. What leads elsewhere is no link, and stays as it was written. */
const linkable = /^(?:https?:\/\/|mailto:)/i;

/** What a link says of itself, since anybody may have written it. */
const rel = "nofollow ugc noopener";

/** The name of a language, for those who highlight code. */
const language = /^[\w.+#-]{1,40}(?!\S)/;

/** What the parser may spend on a text. */
class Budget {
  /** Elements and pieces of text. A few characters may ask for many: for the empty cells of a table. */
  tokens = 7_000;
  /** Characters of addresses and titles: a reference repeats them. */
  addresses = 50_000;

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

const md = new MarkdownIt({ html: false, linkify: true, maxNesting: 20 });
// Addresses in full, and nothing that only looks like one, such as `notes.md`.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
md.validateLink = (address) => linkable.test(address);

const budgetOf = (env: object) => (env as { budget: Budget }).budget;
md.block.State = class extends md.block.State {
  override push(type: string, tag: string, nesting: Token["nesting"]): Token {
    budgetOf(this.env).spend("tokens", 1);
    return super.push(type, tag, nesting);
  }
};
md.inline.State = class extends md.inline.State {
  override push(type: string, tag: string, nesting: Token["nesting"]): Token {
    budgetOf(this.env).spend("tokens", 1);
    return super.push(type, tag, nesting);
  }
};

// Decides about all attributes that leave.
md.core.ruler.push("attributes", (state) => {
  for (const token of state.tokens) {
    if (token.type === "fence") token.info = language.exec(token.info)?.[0] ?? "";
    const style = token.attrGet("style");
    if (style !== null) token.attrs = [["align", `${style}`.replace("text-align:", "")]];
    if (token.children) token.children = withoutImages(token.children, state);
    for (const { type, attrs } of token.children ?? []) {
      if (type !== "link_open" || attrs === null) continue;
      for (const [, value] of attrs) budgetOf(state.env).spend("addresses", String(value).length);
      attrs.push(["rel", rel]);
    }
  }
});

/**
 * Turns images into links that lead to them, or into their descriptions where these stand in a link. Images of our own media
 * would stay: here they would be told from others.
 */
function withoutImages(tokens: readonly Token[], { Token, md, env }: StateCore): Token[] {
  let isInLink = false;
  return tokens.flatMap((token) => {
    if (token.type.startsWith("link_")) isInLink = token.nesting > 0;
    if (token.type !== "image") return [token];
    const { src = "", alt: _, ...title } = Object.fromEntries(token.attrs ?? []);
    const text = new Token("text", "", 0);
    text.content = md.renderer.renderInlineAsText(token.children ?? [], md.options, env) || String(src);
    if (isInLink) return [text];
    const open = new Token("link_open", "a", 1);
    open.attrs = Object.entries({ href: src, ...title });
    return [open, text, new Token("link_close", "a", -1)];
  });
}

/** Renders Markdown as HTML, in time that grows as the text does. Whatever the text is, its HTML is safe in a page. */
export function renderMarkdown(text: string): string {
  try {
    if (costOf(text) > mostCost) throw new RangeError("too dear");
    return fitForProse(md.render(text, { budget: new Budget() }));
  } catch {
    // What is too much for the parser is still a text to read.
    return fitForProse(`<pre>\n${md.utils.escapeHtml(text)}</pre>\n`);
  }
}
