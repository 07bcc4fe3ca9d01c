import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileMarkdown } from "../../../test/hostile-html.ts";
import { shown, strays } from "../../../test/html.ts";
import { renderLong } from "./long.ts";
import { renderer, renderMarkdown } from "./render.ts";
import { render as renderToStore } from "./rendered.ts";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import { codePoint } from "../../../../core/src/testing/code-point.ts";

const render = (text: string) => renderMarkdown(text).trim();
const link = (href: string, text: string, title = "") =>
  `<p><a href="${href}"${title} rel="nofollow ugc noopener">${text}</a></p>`;

describe("Markdown", () => {
  test.each([
    [
      "# One\n\nTwo *em* **strong** ~~gone~~ `code`\\\nthree",
      "<h1>One</h1>\n<p>Two <em>em</em> <strong>strong</strong> <s>gone</s> <code>code</code><br>\nthree</p>",
    ],
    ["3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ["- [ ] to do\n- [x] done", "<ul>\n<li>[ ] to do</li>\n<li>[x] done</li>\n</ul>"],
    ["> a\n\n---", "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>"],
    [
      "|a|b|\n|-|:-:|\n|1|2|",
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="center">2</td>\n</tr>\n</tbody>\n</table>',
    ],
    ["```ts title\na < b\n```", '<pre><code class="language-ts">a &lt; b\n</code></pre>'],
    [`~~~${"a".repeat(41)}\na\n~~~`, "<pre><code>a\n</code></pre>"],
    ["```é\na\n```", "<pre><code>a\n</code></pre>"],
  ])("%j is rendered", (text, html) => {
    expect(render(text)).toBe(html);
  });

  test.each([
    ["<b onclick=alert(1)>a</b>", "<p>&lt;b onclick=alert(1)&gt;a&lt;/b&gt;</p>"],
    ["<script>\n\nalert(1)</script>", "<p>&lt;script&gt;</p>\n<p>alert(1)&lt;/script&gt;</p>"],
    ["&lt;b&gt; &copy;", "<p>&lt;b&gt; ©</p>"],
  ])("HTML in %j is text", (text, html) => {
    expect(render(text)).toBe(html);
  });

  test.each([
    ["an entity", "a&#x202E;b &#8294;c"],
    ["an entity in a title", '[a](https://a.example "&#x202e;b")'],
    ["an address that is shown decoded", "https://a.example/%E2%80%AEgpj.exe"],
    ["code", "`a\u202eb`"],
    ["a text that costs too much", `\u202e${"![[".repeat(3_000)}`],
  ])("no mark that turns the direction of text leaves by %s", (_, text) => {
    expect(render(text)).toContain("\ufffd");
    expect(render(text)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test.each([
    ["[a](https://a.example/b?c=d#e)", link("https://a.example/b?c=d#e", "a")],
    ['[a](http://a.example "A \\"title\\"")', link("http://a.example", "a", ' title="A &quot;title&quot;"')],
    ["[a]\n\n[A]: HTTPS://a.example", link("HTTPS://a.example", "a")],
    ["[a](mailto:a@b.example)", link("mailto:a@b.example", "a")],
    ["<a@b.example>", link("mailto:a@b.example", "a@b.example")],
    ["https://a.example/b", link("https://a.example/b", "https://a.example/b")],
    ['[a](<http://a.example/" onclick="alert(1)>)', link("http://a.example/%22%20onclick=%22alert(1)", "a")],
  ])("%j is a link", (text, html) => {
    expect(render(text)).toBe(html);
  });

  test.each(
    "javascript:alert(1) javascript:mailto:a JaVaScRiPt:a &#106;avascript:a java&#10;script:a &#1;javascript:a vbscript:a data:text/html,a file:///a ftp://a.example blob:a //a.example /a a.md #a ?a https:a http:/a tel:1".split(
      " ",
    ),
  )("%s is never where a link leads, but stays as it was written", (address) => {
    for (const text of [
      `[a](${address})`,
      `[a](<${address}>)`,
      `![a](${address})`,
      `<${address}>`,
      `[a]\n\n[a]: ${address}`,
    ])
      expect(render(text)).not.toContain("<a");
    expect(shown(render(`[a](${address})`))).toMatch(/^\[a\]\(/);
  });

  test.each([
    ["[a]()", "<p>a</p>"],
    ["[![a](https://a.example)]()", link("https://a.example", "a")],
    ["[a <https://b.example>](https://a.example)", link("https://a.example", "a https://b.example")],
    ["[a <https://b.example>]()", `<p>a ${link("https://b.example", "https://b.example").slice(3)}`],
  ])("of %j no link is left that leads nowhere or stands in another one", (text, html) => {
    expect(render(text)).toBe(html);
  });

  test("what only looks like an address is none", () => {
    expect(render("notes.md, a@b.example and ftp://a.example")).not.toContain("<a");
  });

  test.each([
    ["![A *cat*](https://a.example/cat.png)", link("https://a.example/cat.png", "A cat")],
    ['![A cat](https://a.example/cat.png "Tom")', link("https://a.example/cat.png", "A cat", ' title="Tom"')],
    ["![](https://a.example/cat.png)", link("https://a.example/cat.png", "https://a.example/cat.png")],
    ["[![Build](https://a.example/b.svg)](https://a.example)", link("https://a.example", "Build")],
  ])("the image of %j is not loaded, but can be followed or read", (text, html) => {
    expect(render(text)).toBe(html);
  });
});

describe("an article", () => {
  const article = (text: string) => renderMarkdown(text, "article").trim();
  const picture = "media:med_01jd0000000000000000000001";

  test("has names for its headings, each once, and none that a page could mistake for its own", () => {
    expect(article("# One *thing*\n\n## One thing\n\n### ¿日本?\n\n# !")).toBe(
      [
        '<h1 id="text-one-thing">One <em>thing</em></h1>',
        '<h2 id="text-one-thing-1">One thing</h2>',
        '<h3 id="text-日本">¿日本?</h3>',
        '<h1 id="text-section">!</h1>',
      ].join("\n"),
    );
    const taken = article("# A\n\n# A 1\n\n# A\n\n# A").matchAll(/id="([^"]+)"/g);
    expect([...taken].map(([, id]) => id)).toEqual(["text-a", "text-a-1", "text-a-2", "text-a-3"]);
    expect(render("# One")).toBe("<h1>One</h1>");
    const linked = article(
      "[go](#what-s_new), [there](#whats-new), [on](#nothing), [file](docs/a.md?at=b:c//d)\n\n# What's *new*?",
    );
    expect(linked).toContain(
      '<p>go, <a href="#text-whats-new" rel="nofollow ugc noopener">there</a>, on, file</p>',
    );
    expect(article(`# ${"a".repeat(99)}𝐀b`)).toBe(
      `<h1 id="text-${"a".repeat(99)}𝐀">${"a".repeat(99)}𝐀b</h1>`,
    );
  });

  test("shows of HTML its text and its line breaks, and no comments", () => {
    const text =
      '<!-- hidden -->\n\n<p align="center">\n  <img src="a.png"> Centre & <b>bold</b>\n</p>\n\nOne<br>two <sup onclick="x()">3</sup> <script>alert(1)</script>';
    expect(article(text)).toBe("<p>Centre &amp; bold</p>\n<p>One<br>\ntwo 3 alert(1)</p>");
    expect(article("One <!A <br> two")).toBe("<p>One  two</p>");
  });

  test("shows pictures of ours, by a scheme that whoever sends it puts an address in place of", () => {
    expect(article(`![A "cat"](${picture} "Tom")`)).toBe(
      `<p><img src="${picture}" alt="A &quot;cat&quot;" title="Tom"></p>`,
    );
    expect(render(`![A cat](${picture})`)).toBe(`<p>![A cat](${picture})</p>`);
    expect(article("![A cat](https://a.example/cat.png)")).toBe(link("https://a.example/cat.png", "A cat"));
    const elsewhere = `https://a.example/${picture}`;
    expect(article(`![A cat](${elsewhere})`)).toBe(link(elsewhere, "A cat"));
    expect(article(`[A cat](${elsewhere})`)).toBe(link(elsewhere, "A cat"));
  });

  test.each([
    [`[A cat](${picture})`, "<p>A cat</p>"],
    [`[![A cat](${picture})](${picture})`, `<p><img src="${picture}" alt="A cat"></p>`],
    [
      `[*A* ![b](${picture})](https://a.example)`,
      `<p><a href="https://a.example" rel="nofollow ugc noopener"><em>A</em> <img src="${picture}" alt="b"></a></p>`,
    ],
    ["[A <https://a.example>](#nowhere)", `<p>A ${link("https://a.example", "https://a.example").slice(3)}`],
    ["![A cat](media:med_1)", "<p>![A cat](media:med_1)</p>"],
    [
      "![A cat](media:MED_01jd0000000000000000000001)",
      "<p>![A cat](media:MED_01jd0000000000000000000001)</p>",
    ],
  ])("%s leads to no address that is none of the web", (text, html) => {
    expect(article(text)).toBe(html);
  });
});

describe("a long text", () => {
  const line = "A *word*, `code` and a [link](https://a.example/x).\n\n";

  test("is rendered whole, in a thread of its own", async () => {
    const text = line.repeat(3_500);
    expect(text.length).toBeGreaterThan(180_000);
    const html = await renderLong(text, "article");
    expect(html?.match(/<em>word<\/em>/g)).toHaveLength(3_500);
    expect(strays(html ?? "", "article")).toEqual([]);
  });

  const hostile: readonly (readonly [what: string, text: string])[] = [
    ["brackets", "[".repeat(200_000)],
    ["images that never end", "![[".repeat(66_000)],
    ["stars", "*a **b ".repeat(28_000)],
    ["backticks", "`a``b".repeat(40_000)],
    ["lists in lists", "- ".repeat(100_000)],
    ["quotes", "> ".repeat(100_000)],
    ["empty cells", `${"a|".repeat(500)}\n${"-|".repeat(500)}\n${"a\n".repeat(90_000)}`],
    ["references", `[a]: https://${"a".repeat(100_000)}\n\n${"[a]".repeat(30_000)}`],
    ["addresses", "https://a ".repeat(20_000)],
  ];
  const showRendered = async (_: string, text: string) => {
    const html = await renderLong(text, "article");
    expect(strays(html ?? "", "article")).toEqual([]);
    expect((html ?? "").length).toBeLessThan(text.length * 40);
    expect((await renderLong("# Next", "article"))?.trim()).toBe('<h1 id="text-next">Next</h1>');
  };
  // oxlint-disable-next-line vitest/expect-expect -- it does
  test.each(hostile.slice(0, 1))(
    "of %s is rendered, or shown as it was written, and the next one is rendered",
    showRendered,
  );
  // oxlint-disable-next-line vitest/expect-expect -- it does
  test.each(hostile.slice(1))(
    "of %s is rendered or shown, and so is the next one",
    { tags: "long" },
    showRendered,
  );

  test("waits for eight others at most, and is left to the worker then", { tags: "long" }, async () => {
    const text = line.repeat(3_500);
    const all = await Promise.all(Array.from({ length: 12 }, () => renderToStore(text)));
    const left = all.filter(({ html }) => html === null);
    expect(left).toEqual(Array.from({ length: 4 }, () => ({ text, html: null, renderer: 0 })));
    expect(all.map((one) => one.renderer).sort()).toEqual([
      0,
      0,
      0,
      0,
      ...Array.from({ length: 8 }, () => renderer),
    ]);
  });
});

describe("nothing else leaves", () => {
  test.each(hostileMarkdown)("%j", (trick) => {
    for (const text of [
      trick,
      `> ${trick}`,
      `- ${trick}`,
      `*${trick}*`,
      `[${trick}](https://a.example)`,
      `a|b\n-|-\n${trick}|`,
    ])
      for (const kind of ["note", "article"] as const)
        expect([text, strays(renderMarkdown(text, kind), kind)]).toEqual([text, []]);
  });

  test.each(["note", "article"] as const)("all of these together, in the text of %s", (kind) => {
    expect(strays(renderMarkdown(hostileMarkdown.join("\n\n"), kind), kind)).toEqual([]);
  });

  test("whatever a text is made of", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...hostileMarkdown,
        ..."[ ] ( ) ![ ](x) < > \" ' & &#x3c; ` ``` ~~~ * _ ~~ | |-| \n \n\n # - > \t \\ javascript: https:// {".split(
          " ",
        ),
        "\n",
        "\n\n",
        "    ",
      ),
      fc.string({ unit: codePoint, maxLength: 5 }),
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (written) => {
        for (const kind of ["note", "article"] as const)
          expect(strays(renderMarkdown(written, kind), kind)).toEqual([]);
      }),
      { numRuns: isThorough ? 5_000 : 100 },
    );
  });

  test("and this test would see it", () => {
    const html =
      '<p class="a">a</p><img src="x"><a href="/a">a</a><a href="javascript:a" rel="nofollow ugc noopener">a</a><!-- -->';
    expect(strays(html)).toEqual([
      "p class=a",
      "img",
      "img src=x",
      "a href=/a",
      "a without rel",
      "a href=javascript:a",
      "#comment",
    ]);
    expect(strays("<p>a</a></p>")).toEqual(["what a browser reads as something else"]);
  });
});

describe("a text that costs too much is shown as it was written", () => {
  const limit = 10_000;
  const columns = 500;
  test.each([
    ["marks", "![[".repeat(limit / 3)],
    ["addresses", "https://a ".repeat(limit / 10)],
    ["empty cells", `${"a|".repeat(columns)}\n${"-|".repeat(columns)}\n${"a\n".repeat(300)}`],
    ["what a reference repeats", `[a]: https://${"a".repeat(limit / 2)}\n\n${"[a]".repeat(500)}`],
  ])("by its %s", (_, text) => {
    expect(renderMarkdown(text)).toMatch(/^<pre>\n/);
    expect(shown(renderMarkdown(text))).toBe(`${text}\n`);
  });

  test("with 701 addresses, and not yet with 700", () => {
    const textOf = (addresses: number) => "https://a ".repeat(addresses);
    expect(renderMarkdown(textOf(700)).match(/<a /g)).toHaveLength(700);
    expect(renderMarkdown(textOf(701))).toBe(`<pre>\n${textOf(701)}</pre>\n`);
  });

  test("which no text for readers does", () => {
    const dense = `A *word*, \`code\`, a [link](https://a.example/x) and https://b.example.\n
- one thing\n- another\n\n| name | what |\n|---|---|\n| first | the one before all others |\n\n`;
    expect(renderMarkdown(dense.repeat(limit / dense.length))).toContain("<em>word</em>");
  });

  test("and is shown as it was written if it is nested deeper than a text for readers", () => {
    const list = (depth: number) =>
      Array.from({ length: depth }, (_, n) => `${"  ".repeat(n)}- level`).join("\n");
    expect(renderMarkdown(`${list(20)}\n\n# After`)).toContain("<h1>After</h1>");
    expect(renderMarkdown(`${list(40)}\n\n# After`)).toMatch(/^<pre>[^]*# After/);
    expect(renderMarkdown("> ".repeat(1_000))).toMatch(/^<pre>/);
    for (const mark of ["> ", "- ", "*a ", "[", "**a ", "![a](b "])
      expect(strays(renderMarkdown(mark.repeat(1_000)))).toEqual([]);
  });
});

test("another number belongs to other HTML: raise `renderer` if this fails, by a new version of the parser for instance", () => {
  const texts = [...hostileMarkdown, hostileMarkdown.join("\n\n"), hostileMarkdown.join("\n")];
  const made = texts.flatMap((text) => [renderMarkdown(text), renderMarkdown(text, "article")]);
  expect({ renderer, digest: hash("sha256", made.join("")).slice(0, 16) }).toEqual({
    renderer: 4,
    digest: "271660732a493721",
  });
});
