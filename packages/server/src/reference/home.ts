import { html } from "./html.ts";
import { style } from "./style.ts";
import { policyOf, wholePage } from "./whole.ts";

export const contentSecurityPolicy = policyOf({ style });

const summary = "A registry for prompts: immutable versions, movable labels, signed webhooks.";

/** What a program learns at the root of a server. */
export const describeServer = (publicUrl: string): object => ({
  name: "Promptreg",
  summary,
  api: `${publicUrl}/api/v1`,
  openapi: `${publicUrl}/api/v1/openapi.json`,
  reference: `${publicUrl}/reference`,
  webhooks: `${publicUrl}/docs/webhooks`,
});

/** What a person reads there. */
export const renderHome = (publicUrl: string): string =>
  wholePage(
    { title: "Promptreg", description: summary, style },
    html`<nav aria-label="Documentation"><a class="brand" href="/">Promptreg</a><ul>
<li><a href="/reference">API reference</a></li>
<li><a href="/docs/webhooks">Receiving webhooks</a></li>
<li><a href="/api/v1/openapi.json">OpenAPI document</a></li></ul></nav>
<main>
<section id="start"><h1>Promptreg</h1>
<p class="lead">${summary}</p>
<p>This is a server for programs. A prompt has an address (<code>owner/slug</code>), numbered versions that never change, and
labels such as <code>production</code> that its owner moves from one version to another.</p></section>
<section><h2>Begin</h2>
<p>Ask those who run this server for the command <code>promptreg</code> and a token. Then store the token, make a prompt, and
push it:</p>
<pre tabindex="0"><code>promptreg login --url ${publicUrl}
promptreg init my-prompt
promptreg push my-prompt --label production</code></pre>
<p>Applications now load it by its address, which <code>push</code> prints, and the label. <code>promptreg --help</code> lists all
commands.</p></section>
<section><h2>Read on</h2><ul>
<li><a href="/reference">API reference</a>: every operation, with calls of the SDK, curl and the command line.</li>
<li><a href="/docs/webhooks">Receiving webhooks</a>: what arrives, and how to verify and answer it.</li>
<li><a href="/api/v1/openapi.json">OpenAPI document</a>: the API for tools.</li></ul></section>
</main>`,
  );
