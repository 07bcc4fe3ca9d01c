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
  "Answer any 2xx within 10 seconds, counted from the lookup of your host's name. Only the status counts; the first 2 KB of the body are kept in the delivery log, for you to read. Put work that takes longer into a queue and answer first.",
)}</p>
<p>${inline(
  "Everything else is a failure: another status, a redirect (none is followed), no answer in time, no connection. A delivery is tried up to eight times, with a new `t` and a new signature each time:",
)}</p>
<table class="schedule"><thead><tr><th scope="col">Attempt</th><th scope="col">After the one before</th><th scope="col">After the first</th></tr></thead>
<tr><td>1</td><td>at once</td><td></td></tr>
${gapsMinutes.map(
  (gap, i) =>
    html`<tr><td>${i + 2}</td><td>${wait(gap)}</td><td>${wait(gapsMinutes.slice(0, i + 1).reduce((a, b) => a + b))}</td></tr>
`,
)}</table>
<p>${inline(
  "After 15 failed attempts in a row, over all its deliveries, a webhook is disabled: what waits is cancelled, and its owner gets a notification and an e-mail. One success counts from zero again. Enable it with `active: true`, and send anew what was cancelled. What happens while it is disabled leaves no delivery: ask the API for the present state then.",
)}</p>
<pre><code>promptreg api webhooks.update id=whk_… --body '{"active":true}'
promptreg api webhooks.deliveries.list id=whk_… status=cancelled
promptreg api webhooks.deliveries.redeliver id=whk_… deliveryId=dlv_…</code></pre>
<p>${inline(
  "The log goes back 30 days. A redelivery sends the same bytes under a new `Service-Delivery`; the webhook has to be enabled. Once the prompt of somebody else turned private or was deleted, what still waits for you of its events is cancelled, and nothing of them is sent again; what you were sent stays in your log.",
)}</p>`;

/** How to change the secret without losing anything. */
export const renderSecret = (): Html => html`<p>${inline(
  "The secret is shown once, when the webhook is made. `rotateSecret: true` replaces it: from then on every attempt is signed with the new one, and the old one is worth nothing, which is right when it leaked.",
)}</p>
<pre><code>promptreg api webhooks.update id=whk_… --body '{"rotateSecret":true}'</code></pre>
<p>${inline(
  "Give your receiver both, `receive(body, header, [newSecret, oldSecret])`, for a minute: requests under way are still signed with the old one. Those that come before it knows the new one fail and come again.",
)}</p>
<p>${inline(
  "Where that would be many, so that the failures could disable the webhook, change over without a gap: make a second webhook for the same URL, give your receiver the secrets of both, then delete the first. What comes through both meanwhile has the same `id`.",
)}</p>`;

/** Where webhooks may point. */
export const renderAddress = (): Html => html`<ul>
${[
  "`https`, on any port, with a certificate that is valid for the name.",
  "A public address. Private, loopback, link-local and metadata addresses are refused, in whatever form: when the URL is saved, and again on every delivery after the name is resolved.",
  "No user or password, and no fragment in the URL. A secret of your own may stand in its path or query, but the signature makes it needless.",
  "Redirects are not followed: give the address that answers.",
].map(
  (rule) => html`<li>${inline(rule)}</li>
`,
)}</ul>
<p>${inline(
  "A server of your own for development lets webhooks reach `http://127.0.0.1` when it is started with `PROMPTREG_UNSAFE_WEBHOOKS=1`.",
)}</p>`;

/** How to see that it works. */
export const renderTrying = (): Html => html`<p>${inline(
  "A ping is sent once, even to a disabled webhook, and counts for nothing. The log says how your receiver answered, with the start of the answer's body:",
)}</p>
<pre><code>promptreg api webhooks.test id=whk_…
promptreg api webhooks.deliveries.list id=whk_… limit=1</code></pre>`;

const causes: Record<WebhookVerificationCode, string> = {
  signature_mismatch:
    "The body was parsed, decoded or printed again before it was verified, or a proxy changed it. Or the secret is that of another webhook, or from before a rotation.",
  timestamp_out_of_tolerance:
    "Your clock is wrong, or the request was held back or replayed. `t` is made anew for each attempt.",
  missing_header: "Somebody else is calling, or a proxy in front of you drops headers that it does not know.",
  malformed_header: "Somebody else is calling, or a proxy has joined or cut headers.",
  malformed_body: "It is signed with your secret, but is no event: who else has the secret?",
  invalid_body:
    "What was given is not the bytes: an object (a JSON parser was there first), `undefined` (nothing read the body), or a promise (an `await` is missing).",
  invalid_secret: "The secret is not the whole `whsec_…` text. Is the variable set, and without quotes?",
  invalid_option:
    "`now` or `toleranceSeconds` is not a number that makes sense, or `once` was not given what it needs.",
  invalid_runtime: "`crypto.subtle` does not work there: browsers have it on https only.",
};

/** What refusals mean. */
export const renderTrouble =
  (): Html => html`<table class="causes"><thead><tr><th scope="col">Code</th><th scope="col">What it usually is</th></tr></thead>
${Object.entries(causes).map(
  ([code, cause]) => html`<tr><th scope="row"><code>${code}</code></th><td>${inline(cause)}</td></tr>
`,
)}</table>
<p>${inline(
    "Nothing comes at all? Look into the delivery log: it holds every attempt with its error. If it is empty, no event was for this webhook: look at its `events`, its `prompts` and whether it is `active`.",
  )}</p>`;
