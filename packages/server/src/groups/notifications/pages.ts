import { type Html, html } from "../../reference/html.ts";
import { wholePage } from "../../reference/whole.ts";
import { style } from "./style.ts";

/** A page and the style sheet in it, as a reply has them. */
interface Rendered {
  html: string;
  style: string;
}

const page = (title: string, content: Html): Rendered => ({
  html: wholePage(
    { title, style },
    html`<main>
<h1>${title}</h1>
${content}
</main>`,
  ),
  style,
});

interface Shown {
  handle: string;
  list: string;
}

/** Asks whether mail of this kind is to end. What its button sends is what a provider of mail sends by itself. */
export const renderAsk = ({ handle, list }: Shown): Rendered =>
  page(
    "Stop these mails?",
    html`<p>The account <b>${handle}</b> gets mail about <code>${list}</code>.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Unsubscribe</button>
</form>
<p class="soft">Its notifications stay as they are. Nothing changes if you close this page.</p>`,
  );

export const renderDone = ({ handle, list }: Shown): Rendered =>
  page(
    "Unsubscribed",
    html`<p>The account <b>${handle}</b> gets no more mail about <code>${list}</code>.</p>
<p class="soft">Its notifications stay as they are. To get this mail again, put the type into
<code>preferences.emailTypes</code> with <code>PATCH /me</code>.</p>`,
  );

export const renderBad = (): Rendered =>
  page(
    "This link does not work",
    html`<p>It is not whole, or older than a year. The link in a newer mail will do, or take the type of mail out of
<code>preferences.emailTypes</code> with <code>PATCH /me</code>.</p>`,
  );
