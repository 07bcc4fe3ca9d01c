import { createHash } from "node:crypto";
import { Html, html } from "./html.ts";

/** What a page consists of beside its body. All of it stands in the page: it loads nothing. */
export interface Whole {
  title: string;
  /** For who finds it in a search. */
  description?: string;
  style: string;
  script?: string;
}

/** A page around its body. */
export const wholePage = ({ title, description, style, script }: Whole, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
${body}
${script !== undefined && html`<script>${new Html(script)}</script>`}
</body>
</html>
`.text;

const hashOf = (text: string | undefined) =>
  text === undefined ? "'none'" : `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Lets a page have nothing but its own style and script, by their hashes: it loads nothing and sends nothing. */
export const policyOf = ({ style, script }: Pick<Whole, "style" | "script">): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
