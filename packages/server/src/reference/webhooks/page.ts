import { createHash } from "node:crypto";
import { Html, html, inline } from "../html.ts";
import { style as base } from "../style.ts";
import { renderDelivery, renderEvents } from "./delivery.ts";
import { renderOnce, renderReceiving, renderVerifying } from "./receiving.ts";
import { renderAddress, renderAnswering, renderSecret, renderTrouble, renderTrying } from "./rules.ts";
import { style as own } from "./style.ts";

const style = base + own;

/** Nothing but the page's own style, by its hash: it runs nothing, loads nothing and sends nothing. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Renders the page for receivers of webhooks, to which every delivery's User-Agent leads. */
export function renderWebhooksPage(publicUrl: string): string {
  const sections: [id: string, title: string, content: Html][] = [
    ["delivery", "What arrives", renderDelivery(publicUrl)],
    ["receive", "Receive it", renderReceiving()],
    ["verify", "Verify without the package", renderVerifying()],
    ["answer", "Answer, retries, redelivery", renderAnswering()],
    ["once", "Once, and in order", renderOnce()],
    ["events", "Events", renderEvents()],
    ["secret", "Change the secret", renderSecret()],
    ["address", "Where webhooks may point", renderAddress()],
    ["try", "Try it", renderTrying()],
    ["trouble", "When it does not work", renderTrouble()],
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Receiving webhooks · Promptreg</title>
<meta name="description" content="What Promptreg sends to webhooks, and how to verify, answer and de-duplicate it.">
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<nav aria-label="Contents"><a class="brand" href="#start">Promptreg</a>
<h2>Webhooks</h2><ul>
${sections.map(
  ([id, title]) => html`<li><a href="#${id}">${title}</a></li>
`,
)}</ul>
<h2>More</h2><ul><li><a href="/reference">API reference</a></li></ul></nav>
<main>
<section id="start"><h1>Receiving webhooks</h1>
<p class="lead">${inline("Promptreg POSTs a signed message to your URL when something happens to a prompt: a new version, a label that moved, an eval run. This page is for whoever writes the program behind that URL.")}</p>
<p>${inline("You did not ask for the requests that led you here? Somebody with an account on this server gave your URL. Refuse them: fifteen refusals in a row switch the webhook off.")}</p></section>
${sections.map(
  ([id, title, content]) => html`<section id="${id}"><h2><a href="#${id}">${title}</a></h2>
${content}</section>
`,
)}</main>
</body>
</html>
`.text;
}
