import { type Html, html } from "../reference/html.ts";

/** Something new, as readers of feeds show it. */
export interface Entry {
  /** Never changes, whatever else does. */
  id: string;
  url: string;
  title: string;
  summary: string | null;
  author: { handle: string; url: string };
  tags: readonly string[];
  publishedAt: string;
  updatedAt: string;
}

/** The newest first. */
export interface Feed {
  title: string;
  /** Its own address. */
  url: string;
  /** What it is about. */
  aboutUrl: string;
  entries: readonly Entry[];
}

/** Characters that XML 1.0 cannot have, not even as entities. */
// oxlint-disable-next-line no-control-regex -- they are what this looks for
const unfit = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const last = (entries: readonly Entry[]): string =>
  entries.map(({ updatedAt }) => updatedAt).reduce((a, b) => (a > b ? a : b), "1970-01-01T00:00:00.000Z");

const atomEntry = ({ id, url, title, summary, author, tags, publishedAt, updatedAt }: Entry): Html => html`
  <entry>
    <id>${id}</id>
    <title>${title}</title>
    <link rel="alternate" href="${url}"/>
    <author><name>${author.handle}</name><uri>${author.url}</uri></author>
    <published>${publishedAt}</published>
    <updated>${updatedAt}</updated>
    ${tags.map((tag) => html`<category term="${tag}"/>`)}
    ${summary !== null && html`<summary>${summary}</summary>`}
  </entry>`;

/** A feed as Atom (RFC 4287). */
export const atomOf = ({ title, url, aboutUrl, entries }: Feed): string =>
  `<?xml version="1.0" encoding="utf-8"?>${
    html`
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${url}</id>
  <title>${title}</title>
  <link rel="self" type="application/atom+xml" href="${url}"/>
  <link rel="alternate" href="${aboutUrl}"/>
  <updated>${last(entries)}</updated>${entries.map(atomEntry)}
</feed>
`.text
  }`.replace(unfit, "\ufffd");

/** A feed as JSON Feed 1.1 (jsonfeed.org/version/1.1). */
export const jsonOf = ({ title, url, aboutUrl, entries }: Feed): string =>
  JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: aboutUrl,
    feed_url: url,
    items: entries.map(({ id, url, title, summary, author, tags, publishedAt, updatedAt }) => ({
      id,
      url,
      title,
      content_text: summary ?? title,
      date_published: publishedAt,
      date_modified: updatedAt,
      authors: [{ name: author.handle, url: author.url }],
      tags,
    })),
  });
