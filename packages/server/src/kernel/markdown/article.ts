import type { StateCore, Token } from "markdown-it";

// What an article has beside a note: pictures of ours, headings that links of it lead to, and no HTML that readers would see.

/** A picture of ours. Who sends the HTML puts the address of the media host in place of the scheme. */
const ownMedia = /^media:med_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether an address is one of our media, or of no other place: a heading of the article, or what lies beside it. */
export const isOurs = (address: string): boolean =>
  ownMedia.test(address) || !/^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(address);

/** Whether a token is a picture that stays one. */
export const isPicture = (token: Token): boolean =>
  token.meta?.["isPicture"] === true && ownMedia.test(String(token.attrGet("src")));

export function articleRule(state: StateCore): void {
  state.tokens = state.tokens.flatMap((token) =>
    token.type === "html_block" ? withoutTags(token, state) : [token],
  );
  const anchors = nameHeadings(state.tokens);
  for (const token of state.tokens)
    if (token.children) token.children = inlineOf(token.children, state, anchors);
}

/** The text of a block of HTML as a paragraph: without comments and tags. */
function withoutTags({ content }: Token, { Token }: StateCore): Token[] {
  const words = content
    .replace(/<!--[^]*?(?:-->|$)/g, "")
    .replace(/<[^<>]*>/g, "")
    .trim();
  if (words === "") return [];
  const text = Object.assign(new Token("text", "", 0), { content: words });
  const inline = Object.assign(new Token("inline", "", 0), { content: words, children: [text] });
  const [open, close] = [new Token("paragraph_open", "p", 1), new Token("paragraph_close", "p", -1)];
  for (const token of [open, inline, close]) token.block = true;
  return [open, inline, close];
}

/** The name of a heading as links of Markdown write it: its words in lower case, with hyphens between them. */
const nameOf = (heading: string): string => {
  const words = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  // By characters, so that no half of one is left.
  return Array.from(words).slice(0, 100).join("");
};

/** Gives headings their ids, and these back by the names that links write. What they begin with keeps them apart from ids of a page. */
function nameHeadings(tokens: readonly Token[]): Map<string, string> {
  const anchors = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const [nth, token] of tokens.entries()) {
    if (token.type !== "heading_open") continue;
    const words = (tokens[nth + 1]?.children ?? [])
      .map(({ type, content }) => (type.endsWith("break") ? " " : content))
      .join("");
    const name = nameOf(words) || "section";
    let count = counts.get(name) ?? 0;
    const unique = () => (count === 0 ? name : `${name}-${count}`);
    while (anchors.has(unique())) count += 1;
    counts.set(name, count + 1);
    anchors.set(unique(), `text-${unique()}`);
    token.attrs = [["id", `text-${unique()}`]];
  }
  return anchors;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Keeps links to headings and to the web, and lets others lead nowhere; pictures of ours; and of HTML the line breaks alone. */
function inlineOf(
  tokens: readonly Token[],
  { Token, md, env }: StateCore,
  anchors: ReadonlyMap<string, string>,
): Token[] {
  return tokens.flatMap((token) => {
    if (token.type === "html_inline")
      return /^<br\s*\/?>$/i.test(token.content) ? [new Token("hardbreak", "br", 0)] : [];
    if (token.type === "link_open") {
      const href = String(token.attrGet("href"));
      const anchor = href.startsWith("#") ? anchors.get(decoded(href.slice(1)).toLowerCase()) : undefined;
      if (anchor !== undefined) token.attrSet("href", `#${encodeURIComponent(anchor)}`);
      else if (isOurs(href)) token.attrSet("href", "");
    }
    if (token.type === "image" && ownMedia.test(String(token.attrGet("src")))) {
      const { alt: _, ...attrs } = Object.fromEntries(token.attrs ?? []);
      const alt = md.renderer.renderInlineAsText(token.children ?? [], md.options, env);
      token.attrs = [
        ["src", String(attrs["src"])],
        ["alt", alt],
        ...Object.entries(attrs).filter(([name]) => name !== "src"),
      ];
      token.meta = { isPicture: true };
    }
    return [token];
  });
}
