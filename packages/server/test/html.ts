import { type DefaultTreeAdapterTypes, parseFragment, serialize } from "parse5";
import type { TextKind } from "../src/kernel/markdown/render.ts";

/** Everything that may leave: elements, and what each attribute of theirs may be. */
const leaving: Record<string, Record<string, RegExp>> = {
  ...Object.fromEntries(
    "p h1 h2 h3 h4 h5 h6 blockquote ul li hr br em strong s pre table thead tbody tr"
      .split(" ")
      .map((name) => [name, {}]),
  ),
  ol: { start: /^\d{1,9}$/ },
  code: { class: /^language-[\w.+#-]{1,40}$/ },
  th: { align: /^(left|right|center)$/ },
  td: { align: /^(left|right|center)$/ },
  a: {
    href: /^(https?:\/\/|mailto:)[\x21-\x7e]*$/i,
    title: /^/,
    rel: /^nofollow ugc noopener$/,
  },
};

/** What an article may have besides. */
const inArticle: Record<string, Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["h1", "h2", "h3", "h4", "h5", "h6"].map((name) => [name, { id: /^text-[\p{L}\p{M}\p{N}_-]+$/u }]),
  ),
  a: { ...leaving["a"], href: /^(https?:\/\/|mailto:|#text-)[\x21-\x7e]*$/i },
  img: { src: /^media:med_[0-9a-z]{26}$/, alt: /^/, title: /^/ },
};

/** Elements and attributes that leave although they may not, as a browser would read them. */
export function strayParts(html: string, kind: TextKind = "note"): string[] {
  const table = kind === "article" ? { ...leaving, ...inArticle } : leaving;
  const found: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.ChildNode) => {
    if (node.nodeName === "#text") return;
    const allowed = table[node.nodeName];
    if (allowed === undefined) found.push(node.nodeName);
    if (!("attrs" in node)) return;
    for (const { name, value } of node.attrs)
      if (!allowed?.[name]?.test(value)) found.push(`${node.nodeName} ${name}=${value}`);
    if (node.nodeName === "a" && node.attrs.every(({ name }) => name !== "rel")) found.push("a without rel");
    node.childNodes.forEach(visit);
  };
  parseFragment(html).childNodes.forEach(visit);
  return found;
}

/** The same, and whether a browser that writes what it read writes something else. */
export function strays(html: string, kind: TextKind = "note"): string[] {
  const isAlike = alike(serialize(parseFragment(html))) === alike(html);
  return [...strayParts(html, kind), ...(isAlike ? [] : ["what a browser reads as something else"])];
}

/** HTML without what browsers write otherwise than we do, though it says the same. */
const alike = (html: string): string =>
  html
    .replace(/<pre>\n/g, "<pre>")
    .replaceAll("&quot;", '"')
    .replaceAll("\u00a0", "&nbsp;")
    .replace(/\r\n?/g, "\n");

/** The text that a browser shows. */
export function shown(html: string): string {
  const textOf = (node: DefaultTreeAdapterTypes.ChildNode): string =>
    "value" in node ? node.value : "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
  return parseFragment(html).childNodes.map(textOf).join("");
}
