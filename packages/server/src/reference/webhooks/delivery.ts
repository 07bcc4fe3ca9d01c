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
    "The time of sending in Unix seconds, and the HMAC of time and body under the secret of the webhook. There can be several `v1`; one that fits is enough.",
  "Service-Event": "The name of the event, as in the envelope.",
  "Service-Delivery":
    "One delivery with all its attempts, by the id under which it stands in the delivery log. A redelivery has a new one.",
})}
<p>The body is the same for all events, but for <code>data</code>:</p>
${fields({
  id: "The event. It is the same in every attempt, in every redelivery and at every webhook: de-duplicate on it.",
  event: "What happened. It says what `data` holds.",
  createdAt: "When it happened, in UTC with milliseconds: order by it.",
  data: "`prompt` with `id`, `ref` and `url`; `actor`, the person behind it, or null where the system acted; and what is the event's own. A `ping` has neither prompt nor actor.",
})}
<p>The two headers beside the signature are not signed: route and de-duplicate on the envelope. Fields and events are added over time, so ignore what you do not know, and answer 2xx to it.</p>`;

/** Every event of the catalogue with its example. */
export const renderEvents = (): Html =>
  html`${(Object.keys(events) as EventName[]).map(
    (
      name,
    ) => html`<details id="event.${name}"><summary><code>${name}</code> ${events[name].description}</summary>
<p>${reach(name)} <a href="/reference#event.${name}">Its fields</a></p>
<pre><code>${JSON.stringify(exampleEnvelope(name), null, 2)}</code></pre></details>
`,
  )}`;

function reach(name: EventName): string {
  const { isSubscribable, watchLevels } = events[name];
  if (!isSubscribable) return "It is sent when you ask for it, and cannot be subscribed to.";
  if (watchLevels.length === 0) return "It goes to the owner of the prompt.";
  const levels = watchLevels.map((level) => `“${level}”`).join(" or ");
  return `It goes to the owner of the prompt, and where the prompt is public, to those who watch it at ${levels}.`;
}
