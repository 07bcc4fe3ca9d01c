import { type Html, html, inline } from "../html.ts";
import { sample } from "./delivery.ts";
import { programs } from "../../generated/programs.ts";

/** Texts of which one is shown at a time, without a script. */
const tabs = (name: string, texts: Record<string, string>): Html => html`<div class="tabs">
${Object.entries(texts).map(
  ([title, text], i) =>
    html`<input type="radio" name="${name}" id="${name}-${i}"${i === 0 && " checked"}><label for="${name}-${i}">${title}</label><pre tabindex="0"><code>${text}</code></pre>
`,
)}</div>`;

const titles = {
  hono: "Hono",
  express: "Express",
  fastify: "Fastify",
  fetch: "fetch",
  node: "Node",
  lambda: "AWS Lambda",
};

/** How to receive with the package. */
export const renderReceiving = (): Html => html`<p>${inline(
  "Install `@promptreg/core`. Its verifier adds about 1.5 kB to your program:",
)}</p>
${tabs(
  "program",
  Object.fromEntries(Object.entries(titles).map(([name, title]) => [title, programs[name] ?? ""])),
)}
<p>${inline("They share `inbox.ts`. This part will look different in your program:")}</p>
<pre tabindex="0"><code>${programs["inbox"]}</code></pre>
<p>${inline(
  "`receive` resolves to a verified event; `receiveSync` of `@promptreg/core/webhooks/node` returns one. TypeScript knows the type of `data` by `event`. Invalid requests throw a `WebhookVerificationError` with a `code`, a message that says what to do, and the `statusCode` to return: 400, or 500 if the mistake is in the receiving program. `sign` and `signSync` make signatures for your tests.",
)}</p>
<p class="note">${inline(
  "The signature covers the exact bytes of the body. Read the raw body before any JSON parser does: a body that was parsed and serialised again has other bytes, and its signature does not match.",
)}</p>`;

/** How to verify with nothing but an HMAC. */
export const renderVerifying = (): Html => html`<ol>
${[
  "Take `t` and every `v1` from `Service-Signature`. Refuse a `t` that is not 1 to 12 digits, or that occurs twice.",
  "Refuse a `t` more than 300 seconds from your clock, in either direction.",
  "Compute the HMAC-SHA256 of `t` as received, a dot, and the raw bytes of the body. The key is the complete secret as text, `whsec_` included. Write the result as 64 lower-case hex digits.",
  "Compare it with each `v1` in constant time. Accept if one is equal. Only then parse the body.",
].map(
  (step) => html`<li>${inline(step)}</li>
`,
)}</ol>
<p>Receivers that do this, with the standard libraries of Python and Go alone:</p>
${tabs("language", { Python: programs["receiver.py"] ?? "", Go: programs["receiver.go"] ?? "" })}
<p>To check your code (with a clock at ${sample.t}): this command prints the <code>v1</code> <a href="#delivery">above</a>:</p>
<pre class="wraps"><code>printf '%s' '${sample.t}.${sample.body}' \\
  | openssl dgst -sha256 -hmac '${sample.secret}'</code></pre>`;

const stores = {
  PostgreSQL: programs["stores/postgres"] ?? "",
  Redis: programs["stores/redis"] ?? "",
  "A Map": `await once(event, store, apply);

const marks = new Map(); // of one process, and gone with it
const store = {
  begin: (id) => marks.get(id) ?? void marks.set(id, "begun"),
  end: (id, isHandled) => (isHandled ? marks.set(id, "handled") : marks.delete(id)),
};`,
};

/** What to do about duplicates, and about what comes in another order. */
export const renderOnce = (): Html => html`<p>${inline(
  "Every event is delivered at least once. It comes again if your answer was lost or late, if somebody redelivers it, and through each other webhook of yours. Its `id` is always the same. Duplicates can come for up to 60 days, sometimes two at the same moment. `once` removes duplicates, using your store:",
)}</p>
${tabs("store", stores)}
<p>${inline(
  "With a table in the same transaction as your work, the work and its mark commit together: nothing is lost or done twice. Other stores cannot guarantee that, and `once` stays on the safe side: a mark left by a crash expires before the first retry a minute later, so the event is handled twice rather than never. If your handler throws, `once` removes the mark and throws the same error, and the event can be retried. While another process handles the same event, `once` throws with `statusCode` 503, because a 2xx would say that it is done.",
)}</p>
<h3>Order</h3>
<p>${inline(
  "Events can arrive out of order. `createdAt` increases strictly over the versions, labels and the publication of one prompt. Store it with your data, and ignore older events.",
)}</p>
<pre tabindex="0"><code>update labels set version = $version, changed_at = $createdAt
where prompt_id = $promptId and name = $name and changed_at &lt; $createdAt</code></pre>`;
