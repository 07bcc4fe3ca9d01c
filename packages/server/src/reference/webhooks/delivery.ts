import { type EventName, events, exampleEnvelope } from "@promptreg/core";
import { signSync } from "@promptreg/core/webhooks/node";
import { type Html, html, inline } from "../html.ts";

/** A secret, a time and a body with its signature, for readers to check their own code against. */
export const sample = (() => {
  const secret = "whsec_RXhhbXBsZSBvbmx5LCBub3QgYSByZWFsIHNlY3JldCE";
  const t = 1_795_167_000;
  const body = JSON.stringify(exampleEnvelope("prompt.label.moved"));
  return { secret, t, body, header: signSync(body, secret, { now: t * 1000 }) };
})();

const fields = (rows: Record<string, string>): Html => html`<table>
${Object.entries(rows).map(
  ([name, text]) => html`<tr><th scope="row"><code>${name}</code></th><td>${inline(text)}</td></tr>
`,
)}</table>`;

/** What arrives: the request, its headers, its envelope. */
export const renderDelivery = (publicUrl: string): Html => html`<p>A delivery is one HTTPS request:</p>
<pre class="wraps"><code>POST /hook HTTP/1.1
Content-Type: application/json
User-Agent: Service-Webhooks/1.0 (+${publicUrl}/docs/webhooks)
Service-Event: prompt.label.moved
Service-Delivery: dlv_01jd0000000000000000000000
Service-Signature: ${sample.header}

${sample.body}</code></pre>
${fields({
  "Service-Signature":
    "The time of sending in Unix seconds, and the HMAC of time and body with the webhook's secret as key. There can be several `v1`: one match is enough.",
  "Service-Event": "The name of the event, as in the envelope.",
  "Service-Delivery":
    "The id of the delivery, as in the delivery log. It is the same for all attempts. A redelivery has a new one.",
})}
<p>Every event has the same body, except for <code>data</code>:</p>
${fields({
  id: "The id of the event, the same in every attempt, every redelivery and at every webhook: remove duplicates by it.",
  event: "What happened. It decides the fields of `data`.",
  createdAt: "When it happened, in UTC with milliseconds: sort by it.",
  data: "`prompt` with `id`, `ref` and `url`; `actor`, the person who did it, or null if the system did; and the fields of this event. A `ping` has neither prompt nor actor.",
})}
<p>The other two headers are not signed: use the body to route events and remove duplicates. New fields and events are added over time. Ignore those you do not know, and answer 2xx.</p>`;

/** Every event of the catalogue with its example. */
export const renderEvents = (): Html =>
  html`${(Object.keys(events) as EventName[]).map(
    (
      name,
    ) => html`<details id="event.${name}"><summary><code>${name}</code> ${events[name].description}</summary>
<p>${reach(name)} <a href="/reference/events#event.${name}">Its fields</a></p>
<pre tabindex="0"><code>${JSON.stringify(exampleEnvelope(name), null, 2)}</code></pre></details>
`,
  )}`;

function reach(name: EventName): string {
  const { isSubscribable, watchLevels } = events[name];
  if (!isSubscribable) return "Sent when you ask for it. You cannot subscribe to it.";
  if (watchLevels.length === 0) return "Sent to the owner of the prompt.";
  const levels = watchLevels.map((level) => `“${level}”`).join(" or ");
  return `Sent to the owner of the prompt and, if the prompt is public, to those who watch it at ${levels}.`;
}
