/** Text that is safe to stand in a page as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

function textOf(part: Part): string {
  if (part === false || part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escape(String(part));
}

/** Markup with every value in it escaped, unless it is markup itself. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.map((text, i) => text + textOf(parts[i])).join(""));

/** Prose as the contract writes it: paragraphs, `## ` headings, and code between backticks. */
export const prose = (text: string): Html[] =>
  text.split("\n\n").map((block) => {
    if (block.startsWith("## ")) return html`<h2>${block.slice(3)}</h2>`;
    return html`<p>${inline(block)}</p>`;
  });

/** Prose within a line; the names in `links` lead somewhere. */
export const inline = (text: string, links: ReadonlyMap<string, string> = new Map()): Html[] =>
  text.split("`").map((part, i) => {
    const link = i % 2 === 1 ? links.get(part) : undefined;
    if (link !== undefined) return html`<a href="${link}"><code>${part}</code></a>`;
    return i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`;
  });
