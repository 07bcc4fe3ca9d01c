import type { WebhookVerificationCode } from "@promptreg/core/webhooks";
import { type Html, html, inline } from "../html.ts";

const wait = (minutes: number): string => {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(" ");
};

/** When the second attempt and those after it come, in minutes after the one before. */
export const gapsMinutes = [1, 5, 30, 2 * 60, 5 * 60, 8 * 60, 8 * 60];

/** When attempts are made, and what becomes of a webhook that fails. */
export const renderAnswering = (): Html => html`<p>${inline(
  "Answer with any 2xx within 10 seconds, DNS lookup included. Only the status counts. The delivery log keeps the first 2 KB of the body. If your work takes longer, put it into a queue and answer first.",
)}</p>
<p>${inline(
  "Everything else is a failure: another status, a redirect (redirects are not followed), no answer in time, no connection. A delivery is tried up to eight times, each time with a new `t` and a new signature:",
)}</p>
<table class="schedule"><thead><tr><th scope="col">Attempt</th><th scope="col">After the previous one</th><th scope="col">After the first</th></tr></thead>
<tr><td>1</td><td>at once</td><td></td></tr>
${gapsMinutes.map(
  (gap, i) =>
    html`<tr><td>${i + 2}</td><td>${wait(gap)}</td><td>${wait(gapsMinutes.slice(0, i + 1).reduce((a, b) => a + b))}</td></tr>
`,
)}</table>
<p>${inline(
  "After 15 failed attempts in a row, over all its deliveries, a webhook is disabled. Its pending deliveries are cancelled, and its owner gets a notification and an e-mail. One success resets the count. Enable the webhook, and redeliver what was cancelled. Events that happen while it is disabled leave no delivery: read the current state from the API.",
)}</p>
<pre tabindex="0"><code>promptreg webhook update whk_… --enable
promptreg webhook deliveries whk_… --status cancelled
promptreg webhook redeliver whk_… dlv_…</code></pre>
<p>${inline(
  "The log goes back 30 days. A redelivery sends the same bytes with a new `Service-Delivery`. The webhook must be enabled. When somebody else's prompt becomes private or is deleted, pending deliveries of its events to you are cancelled and cannot be redelivered. Deliveries that you received stay in your log.",
)}</p>`;

/** How to change the secret without losing anything. */
export const renderSecret = (): Html => html`<p>${inline(
  "The secret is shown once, when the webhook is created. `webhook rotate` replaces it: every attempt after that is signed with the new secret, and the old one is worthless. That is what you want after a leak.",
)}</p>
<pre tabindex="0"><code>promptreg webhook rotate whk_…</code></pre>
<p>${inline(
  "For a minute, give your receiver both: `receive(body, header, [newSecret, oldSecret])`. Requests under way are still signed with the old one. Requests that arrive before the receiver knows the new one fail and are retried.",
)}</p>
<p>${inline(
  "If so many would fail that the webhook is disabled, change without a gap: create a second webhook for the same URL, give your receiver both secrets, then delete the first webhook. Events that come through both have the same `id`.",
)}</p>`;

/** Where webhooks may point. */
export const renderAddress = (): Html => html`<ul>
${[
  "`https`, on any port, with a certificate that is valid for the name.",
  "A public address. Private, loopback, link-local and metadata addresses are refused in any form: when the URL is saved, and again on every delivery, after the name is resolved.",
  "No user, password or fragment in the URL. You may put a secret of your own into the path or query, but the signature makes that unnecessary.",
  "Redirects are not followed: use the final address.",
].map(
  (rule) => html`<li>${inline(rule)}</li>
`,
)}</ul>
<p>${inline(
  "For development, start your own server with `PROMPTREG_UNSAFE_WEBHOOKS=1`: its webhooks may then use `http://127.0.0.1`.",
)}</p>`;

/** How to see that it works. */
export const renderTrying = (): Html => html`<p>${inline(
  "`webhook test` sends a ping, and shows how your receiver answered. A ping is sent once, even to a disabled webhook, and does not count as a success or failure. `webhook listen` forwards the events of a webhook to a receiver on your machine, without a tunnel:",
)}</p>
<pre tabindex="0"><code>promptreg webhook test whk_…
promptreg webhook listen --webhook whk_… --forward-to http://localhost:4000/hook</code></pre>`;

const causes: Record<WebhookVerificationCode, string> = {
  signature_mismatch:
    "The body was parsed, decoded or serialised again before it was verified, or a proxy changed it. Or the secret belongs to another webhook, or was replaced.",
  timestamp_out_of_tolerance:
    "Your clock is wrong, or the request was delayed or replayed. Each attempt has a new `t`.",
  missing_header: "Somebody else is calling, or a proxy in front of you drops unknown headers.",
  malformed_header: "Somebody else is calling, or a proxy joined or cut headers.",
  malformed_body: "The body is signed with your secret, but is not an event. Who else has the secret?",
  invalid_body:
    "The body is not bytes or text but an object (a JSON parser came first), `undefined` (nothing read the body), or a promise (an `await` is missing).",
  invalid_secret:
    "The secret is not the complete `whsec_…` text. Check that the variable is set, without quotes.",
  invalid_option: "`now` or `toleranceSeconds` is not a valid number, or `once` lacks an argument.",
  invalid_runtime: "`crypto.subtle` is missing: browsers have it on https only.",
};

/** What refusals mean. */
export const renderTrouble =
  (): Html => html`<table class="causes"><thead><tr><th scope="col">Code</th><th scope="col">Usual cause</th></tr></thead>
${Object.entries(causes).map(
  ([code, cause]) => html`<tr><th scope="row"><code>${code}</code></th><td>${inline(cause)}</td></tr>
`,
)}</table>
<p>${inline(
    "Nothing arrives? Read the delivery log: it has every attempt with its error. If it is empty, no event matched this webhook: check its `events`, its `prompts` and whether it is `active`.",
  )}</p>`;
