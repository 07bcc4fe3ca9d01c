import { type Html, html, inline } from "../html.ts";
import { sample } from "./delivery.ts";
import { programs } from "../../generated/programs.ts";

/** Texts of which one is shown at a time, without a script. */
const tabs = (name: string, texts: Record<string, string>): Html => html`<div class="tabs">
${Object.entries(texts).map(
  ([title, text], i) =>
    html`<input type="radio" name="${name}" id="${name}-${i}"${i === 0 && " checked"}><label for="${name}-${i}">${title}</label><pre><code>${text}</code></pre>
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
  "With `npm install @promptreg/core`, which brings about 1.5 kB to your program:",
)}</p>
${tabs(
  "program",
  Object.fromEntries(Object.entries(titles).map(([name, title]) => [title, programs[name] ?? ""])),
)}
<p>${inline("These share `inbox.ts`, which is the part that will look different in your program:")}</p>
<pre><code>${programs["inbox"]}</code></pre>
<p>${inline(
  "`receive` resolves to a verified event, `receiveSync` of `@promptreg/core/webhooks/node` returns one. Its `event` tells TypeScript what its `data` is. Whatever is refused throws a `WebhookVerificationError` with a `code`, a message that says what to do, and as `statusCode` what to answer: 400, or 500 where the mistake is in the receiving program. `sign` and `signSync` make signatures for your own tests.",
)}</p>
<p class="note">${inline(
  "The signature is over the bytes as they came. Read the raw body before any JSON parser does: parsed and printed again it is other bytes, and nothing matches.",
)}</p>`;

const python = `import hashlib, hmac, json, re, time

def receive(body: bytes, header: str, secret: str) -> dict:
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    times = [value for key, value in pairs if key == "t"]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]):
        raise ValueError("malformed Service-Signature")
    if abs(int(time.time()) - int(times[0])) > 300:
        raise ValueError("an old request, or a wrong clock")
    signed = times[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    if not any(hmac.compare_digest(expected, value.encode()) for key, value in pairs if key == "v1"):
        raise ValueError("signature mismatch")
    return json.loads(body)`;

/** How to verify with nothing but an HMAC. */
export const renderVerifying = (): Html => html`<ol>
${[
  "Take `t` and every `v1` from `Service-Signature`. Refuse a `t` that is not 1 to 12 digits or that is there twice.",
  "Refuse a `t` more than 300 seconds from your clock, in either direction.",
  "Compute the HMAC-SHA256 of `t` as it stands, a dot, and the raw bytes of the body. The key is the whole secret as text, `whsec_` included. Write it as 64 hex digits in lower case.",
  "Compare it in constant time with each `v1`, and accept if any is equal. Only then parse the body.",
].map(
  (step) => html`<li>${inline(step)}</li>
`,
)}</ol>
<p>In Python:</p>
<pre><code>${python}</code></pre>
<p>To check your own code against (with a clock that stands at ${sample.t}), this must print the <code>v1</code> that stands <a href="#delivery">above</a>:</p>
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
  "Every event is delivered at least once. It comes again when your answer was lost or late, when somebody redelivers it, and through each further webhook of yours; always under the same `id`, for up to 60 days, and now and then twice at the same moment. `once` handles an event unless it was handled before, over a store of yours:",
)}</p>
${tabs("store", stores)}
<p>${inline(
  "With a table in the transaction of what you do, that and the note that it is done commit together: nothing is lost, and nothing is done twice. Other stores cannot promise that, and `once` errs on the safe side: a mark left by a crash runs out within the minute until the first retry, so the event is handled twice rather than never. When handling fails, the mark is taken away, `once` throws what it threw, and the event may come again. While another process is at the same event, `once` throws with `statusCode` 503, since a 2xx would promise what is not done yet.",
)}</p>
<h3>Order</h3>
<p>${inline(
  "Events can arrive in another order than they happened in. `createdAt` rises strictly over the versions, labels and the publication of one prompt: keep it beside what you write, and let an older event change nothing.",
)}</p>
<pre><code>update labels set version = $version, changed_at = $createdAt
where prompt_id = $promptId and name = $name and changed_at &lt; $createdAt</code></pre>`;
