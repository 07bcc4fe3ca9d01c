import { type Html, html, inline } from "../html.ts";
import { style as base } from "../style.ts";
import { policyOf, wholePage } from "../whole.ts";
import { renderDelivery, renderEvents } from "./delivery.ts";
import { renderOnce, renderReceiving, renderVerifying } from "./receiving.ts";
import { renderAddress, renderAnswering, renderSecret, renderTrouble, renderTrying } from "./rules.ts";
import { style as own } from "./style.ts";

const style = base + own;

export const contentSecurityPolicy = policyOf({ style });

/** Renders the page for receivers of webhooks, to which every delivery's User-Agent leads. */
export function renderWebhooksPage(publicUrl: string): string {
  const sections: [id: string, title: string, content: Html][] = [
    ["delivery", "What arrives", renderDelivery(publicUrl)],
    ["receive", "Receive it", renderReceiving()],
    ["verify", "Verify without the package", renderVerifying()],
    ["answer", "Answer, retries, redelivery", renderAnswering()],
    ["once", "Duplicates and order", renderOnce()],
    ["events", "Events", renderEvents()],
    ["secret", "Change the secret", renderSecret()],
    ["address", "Where webhooks may point", renderAddress()],
    ["try", "Try it", renderTrying()],
    ["trouble", "Troubleshooting", renderTrouble()],
  ];
  return wholePage(
    {
      title: "Receiving webhooks · Promptreg",
      description: "What Promptreg sends to webhooks, and how to verify and answer it.",
      style,
    },
    html`<nav aria-label="Contents"><a class="brand" href="/">Promptreg</a>
<h2>Webhooks</h2><ul>
${sections.map(
  ([id, title]) => html`<li><a href="#${id}">${title}</a></li>
`,
)}</ul>
<h2>More</h2><ul><li><a href="/reference">API reference</a></li></ul></nav>
<main>
<section id="start"><h1>Receiving webhooks</h1>
<p class="lead">${inline("Promptreg POSTs a signed message to your URL when something happens to a prompt: a new version, a label that moved, an eval run. This page is for those who write the program behind that URL.")}</p>
<p>${inline("Did you get these requests without asking for them? Somebody with an account on this server entered your URL. Refuse the requests: fifteen refusals in a row disable the webhook.")}</p></section>
${sections.map(
  ([id, title, content]) => html`<section id="${id}"><h2><a href="#${id}">${title}</a></h2>
${content}</section>
`,
)}</main>`,
  );
}
